# libbpo, its headers, and what finds them: `cmake --install build --prefix DIR`, then
# find_package(bpo) with target bpo::bpo, or pkg-config --cflags --libs bpo.
set(CMAKE_INSTALL_LIBDIR lib)  # the same place on every system, as the program's own
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

add_library(bpo_library SHARED)
set_target_properties(bpo_library PROPERTIES OUTPUT_NAME bpo EXPORT_NAME bpo
                      VERSION ${PROJECT_VERSION} SOVERSION ${PROJECT_VERSION})
target_link_libraries(bpo_library PRIVATE bpo_objects)
# Whoever includes more than bpo/agent/agent.h needs what those headers need, and the layout of
# Eigen's types depends on the instruction set.
target_link_libraries(bpo_library INTERFACE Eigen3::Eigen fmt::fmt nlohmann_json::nlohmann_json
                                            Threads::Threads)
target_compile_options(bpo_library INTERFACE -march=${BPO_ARCH} -ffp-contract=off)
target_compile_features(bpo_library INTERFACE cxx_std_20)
target_include_directories(bpo_library INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)

install(TARGETS bpo COMPONENT program)
install(TARGETS bpo_library EXPORT bpo-targets LIBRARY COMPONENT program
        NAMELINK_COMPONENT development)
install(DIRECTORY bpo DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
        FILES_MATCHING PATTERN "*.h" PATTERN cli EXCLUDE PATTERN terminal EXCLUDE)
set(PACKAGE ${CMAKE_INSTALL_LIBDIR}/cmake/bpo)
install(EXPORT bpo-targets NAMESPACE bpo:: DESTINATION ${PACKAGE} COMPONENT development)
configure_package_config_file(cmake/bpo-config.cmake.in generated/bpo-config.cmake
                              INSTALL_DESTINATION ${PACKAGE})
write_basic_package_version_file(generated/bpo-config-version.cmake COMPATIBILITY SameMinorVersion)
configure_file(cmake/bpo.pc.in generated/bpo.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/generated/bpo-config.cmake
              ${PROJECT_BINARY_DIR}/generated/bpo-config-version.cmake DESTINATION ${PACKAGE}
        COMPONENT development)
install(FILES ${PROJECT_BINARY_DIR}/generated/bpo.pc COMPONENT development
        DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)
