# Debian packages (`make deb`): bpo, libbpo-dev and, where the Python module is built, python3-bpo. The
# program and the libraries are one package; headers and what finds them another.
set(PACKAGE_TEXTS ${PROJECT_BINARY_DIR}/package)
add_custom_target(package_texts
  COMMAND ${PROJECT_SOURCE_DIR}/packaging/texts.sh $<TARGET_FILE:bpo> ${PROJECT_VERSION}
          ${PACKAGE_TEXTS}
  DEPENDS bpo packaging/texts.sh packaging/changelog packaging/copyright VERBATIM)
install(FILES ${PACKAGE_TEXTS}/bpo.1.gz DESTINATION share/man/man1 COMPONENT program OPTIONAL)
foreach(package bpo libbpo-dev python3-bpo)
  set(component_bpo program)
  set(component_libbpo-dev development)
  set(component_python3-bpo python)
  install(FILES ${PACKAGE_TEXTS}/changelog.gz ${PACKAGE_TEXTS}/copyright OPTIONAL
          DESTINATION share/doc/${package} COMPONENT ${component_${package}})
endforeach()

set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)  # `make deb` builds what the packages hold, no tests
add_custom_target(package_contents)
add_dependencies(package_contents bpo bpo_library bpo_runtime package_texts)
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME bpo)
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_CONTACT "The bpo authors <bpo@localhost>")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DIRECTORY ${PROJECT_BINARY_DIR}/packages)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(CPACK_COMPONENTS_ALL program development)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
set(RELEASE ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})

set(CPACK_DEBIAN_PROGRAM_PACKAGE_NAME bpo)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SECTION science)
set(CPACK_DEBIAN_PROGRAM_PACKAGE_SHLIBDEPS ON)
set(CPACK_COMPONENT_PROGRAM_DESCRIPTION
    "policies that adapt to models they do not know
 Learns, plans, measures and exports policies for problems whose model is
 uncertain, by Bayesian policy optimization. Built for ${BPO_ARCH}.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libbpo-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS
    "bpo (= ${RELEASE}), libeigen3-dev, libfmt-dev, nlohmann-json3-dev, librandom123-dev")
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "headers of libbpo and libbpo-runtime
 To act with policies that bpo made: the agent in C++, and its C ABI.")
# python/ installs its module into dist-packages as the component `python`.
if(TARGET bpo_python)
  add_dependencies(package_contents bpo_python)
  list(APPEND CPACK_COMPONENTS_ALL python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-bpo)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_SHLIBDEPS ON)
  set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "python3, python3-numpy")
  set(CPACK_COMPONENT_PYTHON_DESCRIPTION "bpo as a Python module")
endif()
include(CPack)
