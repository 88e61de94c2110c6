# Prints the table of predictions in docs/scale.md, by the model and the measurements there:
# awk -f bench/predictions.awk. Bytes are megabytes of an iteration.
function least(a, b) { return a < b ? a : b }
function log2(x) { return log(x) / log(2) }

# What a rank tells of inputs: as many as its tiles have, and fewer where tiles share them.
function told(tiles) { return one_tile * tiles ^ growth }

# Seconds of an iteration on so many ranks.
function seconds(ranks, latency, speed,    simulate, update, tellers, megabytes) {
  if (ranks == 1) return one
  tellers = least(ranks, tiles)
  update = least(ranks, slices)
  megabytes = (tellers - 1) * told(tiles / tellers) + 2 * rows + sums * (64 / update + 8) / 80
  return simulating / tellers + updating / update + own + exchanges * latency * log2(ranks) + megabytes / speed
}

function figure(x) { return sprintf(x < 0.1 ? "%.3f" : "%.2f", x) }

function row(name, network, latency, speed,    ranks, text, n) {
  text = sprintf("| %s | %s | %s |", name, network, figure(seconds(1)))
  n = split("16 64 256", ranks, " ")
  for (i = 1; i <= n; ++i) {
    text = text sprintf(" %s (%.1f) |", figure(seconds(ranks[i], latency, speed)),
                        seconds(1) / seconds(ranks[i], latency, speed))
  }
  gsub(/ 0\./, " .", text)
  print text
}

function rows_of(name) {
  row(name, "Ethernet", 30e-6, 3e3)
  row(name, "InfiniBand", 3e-6, 12e3)
}

BEGIN {
  slices = 16
  print "| problem, batch | network | 1 rank | 16 | 64 | 256 |"
  print "|---|---|---|---|---|---|"
  # Seconds of an iteration on one rank, those of all ranks for simulation and update, and what all do
  # themselves; tiles; megabytes of a tile's inputs and how they grow with tiles, of rows and of sums
  # that two ranks tell.
  simulating = .995; updating = .586; own = .16; one = simulating + updating + own
  tiles = 63; exchanges = 110; one_tile = 10; growth = .23; rows = 54; sums = 32
  rows_of("Chain-1000, 200,000 steps")
  simulating = .037; updating = .715; own = .12; one = simulating + updating + own
  tiles = 105; exchanges = 310; one_tile = 4 / tiles; growth = 1; rows = 5; sums = 17
  rows_of("LightDark, 50,000")
  simulating = .015; updating = .025; own = .0045; one = simulating + updating + own
  tiles = 2; exchanges = 109; one_tile = .1; rows = 2.2; sums = 12
  rows_of("HalfCheetah, 1,600")
  simulating = .233; updating = .302; own = .037; one = simulating + updating + own
  tiles = 32; exchanges = 113; one_tile = 3.1 / tiles; rows = 26; sums = 21
  rows_of("HalfCheetah, 25,600")
}
