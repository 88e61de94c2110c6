# libbpo-runtime: the agent behind a C ABI (bpo/agent/bpo_runtime.h), without what trains, measures
# and reports. Its C functions are all that it shows.
add_library(bpo_runtime SHARED $<TARGET_OBJECTS:bpo_base>)
if(BPO_MUJOCO)
  target_sources(bpo_runtime PRIVATE $<TARGET_OBJECTS:bpo_robots>)
  target_link_libraries(bpo_runtime PRIVATE mujoco)
endif()
target_link_libraries(bpo_runtime PRIVATE bpo_flags)
set(RUNTIME_SYMBOLS ${PROJECT_SOURCE_DIR}/cmake/bpo-runtime.map)
target_link_options(bpo_runtime PRIVATE -Wl,--version-script=${RUNTIME_SYMBOLS})
if(NOT BPO_SANITIZE)  # whose functions come with the program
  target_link_options(bpo_runtime PRIVATE -Wl,--no-undefined)
endif()
set_target_properties(bpo_runtime PROPERTIES OUTPUT_NAME bpo-runtime LINKER_LANGUAGE CXX
                      LINK_DEPENDS ${RUNTIME_SYMBOLS} VERSION ${PROJECT_VERSION} SOVERSION 1)
install(TARGETS bpo_runtime LIBRARY COMPONENT program NAMELINK_COMPONENT development)
install(FILES bpo/agent/bpo_runtime.h DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        COMPONENT development)
configure_file(cmake/bpo-runtime.pc.in generated/bpo-runtime.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/bpo-runtime.pc COMPONENT development
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
