/* The index: what the page knows of all files and functions before an island is unpacked, and how the page's
 * addresses (#...) name them. */

let index, files, functions, rootLength = 0, view = null;

function readIndex() {
  files = index.files.map((f, number) => ({number, path: f[0], state: f[1], why: f[2], text: f[3], data: f[4], lines: f[5], run: f[6],
    ways: f[7], taken: f[8], functions: f[9], functionsRun: f[10], runs: 0, members: []}));
  functions = index.functions.map((f, number) => ({number, name: f[0], linkage: f[1] || f[0], file: f[2] < 0 ? null : files[f[2]], line: f[3],
    last: f[4], entries: f[5], runs: f[6], lines: f[7], run: f[8], exact: f[9], why: f[10] < 0 ? null : index.whys[f[10]], error: f[11], blocks: f[12], bounds: f[13]}));
  for (const f of functions)
    if (f.file) { f.file.members.push(f); if (f.runs !== null) f.file.runs = add(f.file.runs, f.runs); }
  for (const file of files) file.members.sort((a, b) => a.line - b.line);
  /* File names are shown without the directories that all files share; system headers do not count there. */
  const own = files.filter(f => !isSystem(f.path));
  let common = null;
  for (const f of own) {
    const directory = f.path.slice(0, f.path.lastIndexOf('/') + 1);
    if (common === null) common = directory;
    while (!directory.startsWith(common)) common = common.slice(0, common.slice(0, -1).lastIndexOf('/') + 1);
  }
  rootLength = (common || '').length;
  for (const f of files) f.name = !isSystem(f.path) ? f.path.slice(rootLength) : f.path;
}
const isSystem = path => /^\/usr\/(include|lib)\//.test(path);

const encode = text => encodeURIComponent(text).replace(/%2F/g, '/').replace(/%3A/g, ':').replace(/%2B/g, '+');
const fileHash = (file, line) => '#' + encode(file.name) + (line ? ':L' + line : '');
function functionHash(f, path) {
  const same = f.file.members.filter(other => other.linkage === f.linkage);
  return fileHash(f.file) + ':f=' + encodeURIComponent(f.linkage) + (same.length > 1 ? ':' + (same.indexOf(f) + 1) : '') + (path === undefined ? '' : ':p=' + path);
}
function findFile(name) {
  return files.find(f => f.name === name) || files.find(f => f.path === name) || files.find(f => f.path.endsWith('/' + name));
}
