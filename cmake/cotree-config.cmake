# find_package(cotree): the target cotree::cotree has the header <cotree.h> (man 3 cotree_dump);
# COTREE_EXECUTABLE is the program, for custom commands. To compile with counters use the toolchain
# file beside this one.
get_filename_component(_cotree_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
set(COTREE_EXECUTABLE "${_cotree_prefix}/bin/cotree")
set(COTREE_TOOLCHAIN_FILE "${CMAKE_CURRENT_LIST_DIR}/toolchain.cmake")
if(NOT TARGET cotree::cotree)
  add_library(cotree::cotree INTERFACE IMPORTED)
  set_target_properties(cotree::cotree PROPERTIES INTERFACE_INCLUDE_DIRECTORIES "${_cotree_prefix}/include")
endif()
unset(_cotree_prefix)
