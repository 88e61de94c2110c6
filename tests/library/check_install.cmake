# Installs into a scratch directory, builds examples/ against nothing but that, by find_package and
# by pkg-config, and lets it act with policies that the installed program trains.
set(SCRATCH ${BUILD}/installed)
file(REMOVE_RECURSE ${SCRATCH})
file(MAKE_DIRECTORY ${SCRATCH})

function(run)
  execute_process(COMMAND ${ARGN} WORKING_DIRECTORY ${SCRATCH} RESULT_VARIABLE status
                  OUTPUT_VARIABLE out ERROR_VARIABLE err)
  if(NOT status EQUAL 0)
    string(REPLACE ";" " " command "${ARGN}")
    message(FATAL_ERROR "${command}: ${status}\n${out}${err}")
  endif()
  set(OUT "${out}" PARENT_SCOPE)
endfunction()

function(expect_acting program)
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${SCRATCH}/prefix/lib ${program}
      tiger/policy.safetensors lightdark/policy.safetensors)
  if(NOT OUT MATCHES "^tiger: return -?[0-9.]+, lightdark: [0-9.]+ from the goal\n$")
    message(FATAL_ERROR "${program} printed: ${OUT}")
  endif()
  message(STATUS "${OUT}")
endfunction()

file(READ ${SOURCE}/examples/act.cpp LINES)
string(REGEX MATCHALL "\n" LINES "${LINES}")
list(LENGTH LINES LINES)
if(LINES GREATER 60)
  message(FATAL_ERROR "examples/act.cpp has ${LINES} lines, and docs/agent.md says sixty")
endif()

run(${CMAKE_COMMAND} --install ${BUILD} --prefix ${SCRATCH}/prefix)
foreach(problem tiger lightdark)
  run(${SCRATCH}/prefix/bin/bpo train ${problem} --out ${problem} --quiet --set algo.iterations=3
      --set optimizer.batch_steps=2000 --set algo.validate_episodes=100)
endforeach()

run(${CMAKE_COMMAND} -S ${SOURCE}/examples -B ${SCRATCH}/build -DCMAKE_PREFIX_PATH=${SCRATCH}/prefix
    -DCMAKE_CXX_COMPILER=${COMPILER} -DCMAKE_BUILD_TYPE=Release)
run(${CMAKE_COMMAND} --build ${SCRATCH}/build)
expect_acting(${SCRATCH}/build/act)

find_program(CC cc REQUIRED)
function(expect_runtime name)
  run(${CC} -std=c99 -Wall -Wextra -Werror -pedantic ${SOURCE}/examples/runtime/tiger.c ${ARGN}
      -o ${name})
  run(${CMAKE_COMMAND} -E env LD_LIBRARY_PATH=${SCRATCH}/prefix/lib ${SCRATCH}/${name}
      tiger/policy.safetensors)
  if(NOT OUT MATCHES "tiger: return -?[0-9.]+\n$")
    message(FATAL_ERROR "${name} printed: ${OUT}")
  endif()
endfunction()
expect_runtime(by-hand -I${SCRATCH}/prefix/include -L${SCRATCH}/prefix/lib -lbpo-runtime)

find_program(PKG_CONFIG pkg-config)
if(NOT PKG_CONFIG)
  message(STATUS "pkg-config is not there: bpo.pc and bpo-runtime.pc were not tried")
  return()
endif()
set(ENV{PKG_CONFIG_PATH} ${SCRATCH}/prefix/lib/pkgconfig)
run(${PKG_CONFIG} --cflags --libs bpo)
separate_arguments(FLAGS UNIX_COMMAND "${OUT}")
run(${COMPILER} ${SOURCE}/examples/act.cpp ${FLAGS} -o by-pkg-config)
expect_acting(${SCRATCH}/by-pkg-config)
run(${PKG_CONFIG} --cflags --libs bpo-runtime)
separate_arguments(FLAGS UNIX_COMMAND "${OUT}")
expect_runtime(by-runtime-pkg-config ${FLAGS})
