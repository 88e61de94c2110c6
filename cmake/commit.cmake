# Writes the commit into a header, touching it only when it changed.
execute_process(COMMAND git -C ${DIR} describe --always --dirty --abbrev=12
                OUTPUT_VARIABLE COMMIT OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
if(NOT COMMIT)
  set(COMMIT "unknown")
endif()
set(TEXT "#define BPO_COMMIT \"${COMMIT}\"\n")
if(EXISTS ${OUT})
  file(READ ${OUT} OLD)
endif()
if(NOT TEXT STREQUAL "${OLD}")
  file(WRITE ${OUT} "${TEXT}")
endif()
