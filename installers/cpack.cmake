# The packages that CPack makes of what is installed. A .deb is for the system that it is built on: what it depends on
# is read from its programs.
set(CPACK_PACKAGE_NAME headroom)
set(CPACK_PACKAGE_VENDOR "The Headroom authors")
set(CPACK_PACKAGE_CONTACT "The Headroom authors <headroom@headroom.invalid>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "memory planner, engine and chat for local language models")
set(CPACK_PACKAGE_DESCRIPTION
"Drop a model file on the window, read exactly what memory it will take and
why, load it and chat. Whether a model fits is known before it is loaded; what
is allocated is what was planned, to the byte, and nothing is allocated after.
.
With the window comes headroom-cli, which plans, answers and measures in a
terminal, and a small starter model.")
set(CPACK_RESOURCE_FILE_LICENSE ${CMAKE_SOURCE_DIR}/LICENSE)
set(CPACK_STRIP_FILES ON)
set(CPACK_VERBATIM_VARIABLES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS
  OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ WORLD_EXECUTE)
set(CPACK_OUTPUT_FILE_PREFIX ${CMAKE_BINARY_DIR}/packages)

if(CMAKE_SYSTEM_NAME STREQUAL "Linux")
  cmake_host_system_information(RESULT system QUERY DISTRIB_ID)
  cmake_host_system_information(RESULT system_version QUERY DISTRIB_VERSION_ID)
  set(CPACK_GENERATOR DEB)
  set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
  set(CPACK_DEBIAN_FILE_NAME headroom_${PROJECT_VERSION}_${system}${system_version}_${CMAKE_SYSTEM_PROCESSOR}.deb)
  set(CPACK_DEBIAN_PACKAGE_SECTION utils)
  set(CPACK_DEBIAN_PACKAGE_PRIORITY optional)
  set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
  # Loaded while the program runs, so that no program's list of libraries names them: conversations are kept by Qt's
  # SQLite driver, the icons of style sheets are read by its SVG plugin, which newer systems have apart.
  set(CPACK_DEBIAN_PACKAGE_DEPENDS "libqt6sql6-sqlite, qt6-svg-plugins | libqt6svg6 (<< 6.6)")
  # poppler-data: the encodings of Chinese, Japanese and Korean PDFs whose fonts do not bring their own.
  set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "qt6-wayland, desktop-file-utils, libvulkan1, poppler-data")

  # Two that every package has.
  file(STRINGS linux/changelog newest LIMIT_COUNT 1)
  if(NOT newest MATCHES "^headroom \\(${PROJECT_VERSION}\\) ")
    message(FATAL_ERROR "installers/linux/changelog begins with \"${newest}\": expected version ${PROJECT_VERSION}")
  endif()
  headroom_compressed(changelog ${CMAKE_CURRENT_SOURCE_DIR}/linux/changelog ${CMAKE_INSTALL_DATADIR}/doc/headroom cli)
  install(FILES linux/copyright DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/headroom COMPONENT cli)
elseif(WIN32)
  # Not tried: installers/windows/README.md.
  set(CPACK_GENERATOR "ZIP;NSIS")
  set(CPACK_NSIS_DISPLAY_NAME Headroom)
  set(CPACK_NSIS_ENABLE_UNINSTALL_BEFORE_INSTALL ON)
  set(CPACK_PACKAGE_EXECUTABLES headroom Headroom)
elseif(APPLE)
  # Not tried: installers/macos/README.md.
  set(CPACK_GENERATOR DragNDrop)
endif()
include(CPack)
