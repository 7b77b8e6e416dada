'use strict';

// All that the page's scripts share hangs on this object. The files are joined in the order of
// scripts.rs into one script; while loading, each uses only what the files before it have hung here.
const lpvdn = {};
window.lpvdn = lpvdn;
