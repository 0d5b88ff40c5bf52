// Makes package-lock.json the same on every machine. npm omits optional packages of other platforms that its registry
// does not have, and `npm ci` then rejects the file on those platforms, so this adds them back. It also removes
// package URLs, so that each user's own registry configuration applies. Part of `npm run generate`.

type Entry = {
  version?: string
  resolved?: string
  link?: boolean
  dev?: boolean
  optional?: boolean
  peer?: boolean
  os?: string[]
  cpu?: string[]
  libc?: string[]
  optionalDependencies?: Record<string, string>
}
type Packages = Record<string, Entry>
type Lockfile = { packages: Packages }

const operatingSystems = new Map(
  'aix android darwin freebsd linux netbsd openbsd openharmony sunos win32'.split(' ').map((os) => [os, os]),
)
operatingSystems.set('windows', 'win32').set('win', 'win32')
const processors = new Set('arm arm64 ia32 loong64 mips64el ppc64 riscv64 s390x wasm32 x64'.split(' '))
const cLibraries = new Map([
  ['gnu', 'glibc'],
  ['musl', 'musl'],
])

/** The lockfile with missing platform packages and without package URLs. */
export function completeLockfile(text: string): string {
  const lock: Lockfile = JSON.parse(text)
  for (const [path, entry] of Object.entries(lock.packages)) {
    // The `resolved` of a workspace is its folder, which has to stay.
    if (!entry.link) delete entry.resolved
    addMissing(lock.packages, path, entry)
  }
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([a], [b]) => a.localeCompare(b, 'en')),
  )
  return `${JSON.stringify(lock, null, 2)}\n`
}

function addMissing(packages: Packages, path: string, parent: Entry): void {
  for (const [name, range] of Object.entries(parent.optionalDependencies ?? {})) {
    if (isResolvable(packages, path, name, range)) continue
    const { os, cpu, libc } = platformOf(name)
    // Sorted like npm does, so that the next install does not change the file.
    packages[siblingPath(path, name)] = {
      version: range.replace(/^[\^~]/, ''),
      ...(cpu && { cpu }),
      ...(parent.dev && { dev: true }),
      ...(libc && { libc }),
      optional: true,
      ...(os && { os }),
      ...(parent.peer && { peer: true }),
    }
  }
}

/** Resolves a package like Node: next to the parent, then in every folder above it. */
function isResolvable(packages: Packages, path: string, name: string, range: string): boolean {
  for (let folder: string | null = path; folder !== null; folder = folderAbove(folder)) {
    const found = packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`]
    // An exact version must match. Ranges are left to npm.
    if (found) return found.version === range || !/^\d/.test(range)
  }
  return false
}

function folderAbove(path: string): string | null {
  if (path === '') return null
  const end = path.lastIndexOf('/node_modules/')
  return end === -1 ? '' : path.slice(0, end)
}

/** Platform packages go where npm would put them: into the folder of their parent. */
function siblingPath(path: string, name: string): string {
  const above = folderAbove(path)
  return above ? `${above}/node_modules/${name}` : `node_modules/${name}`
}

function platformOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const parts = name.slice(name.lastIndexOf('/') + 1).split('-')
  const os = parts.map((part) => operatingSystems.get(part)).find((value) => value !== undefined)
  const cpu = parts.find((part) => processors.has(part))
  const libc = parts.map((part) => cLibraries.get(part)).find((value) => value !== undefined)
  if (!os && !cpu)
    throw new Error(
      `Cannot determine the platform of ${name}: add its name parts to scripts/generate/lockfile.ts`,
    )
  return { ...(os && { os: [os] }), ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }) }
}
