// Makes package-lock.json say the same on every machine. npm leaves out of it the optional packages of
// other platforms that its registry does not hold, and `npm ci` then refuses the file elsewhere; here they
// are put back. Addresses are taken out: where packages come from is the choice of whoever installs.
// Part of `npm run generate`.

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

/** The lockfile as it should be. */
export function completeLockfile(text: string): string {
  const lock: Lockfile = JSON.parse(text)
  for (const [path, entry] of Object.entries(lock.packages)) {
    // The address of a workspace is its folder, which has to stay.
    if (!entry.link) delete entry.resolved
    addMissing(lock.packages, path, entry)
  }
  lock.packages = Object.fromEntries(
    Object.entries(lock.packages).sort(([one], [other]) => one.localeCompare(other, 'en')),
  )
  return `${JSON.stringify(lock, null, 2)}\n`
}

function addMissing(packages: Packages, path: string, parent: Entry): void {
  for (const [name, wanted] of Object.entries(parent.optionalDependencies ?? {})) {
    if (findsOne(packages, path, name, wanted)) continue
    const { os, cpu, libc } = platformOf(name)
    // In npm's own order, so that the next install leaves the file as it is.
    packages[beside(path, name)] = {
      version: wanted.replace(/^[\^~]/, ''),
      ...(cpu && { cpu }),
      ...(parent.dev && { dev: true }),
      ...(libc && { libc }),
      optional: true,
      ...(os && { os }),
      ...(parent.peer && { peer: true }),
    }
  }
}

/** Looks where Node would look: beside the parent, then in every folder above it. */
function findsOne(packages: Packages, path: string, name: string, wanted: string): boolean {
  for (let folder: string | null = path; folder !== null; folder = folderAbove(folder)) {
    const found = packages[folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`]
    // An exact version has to be that version; a range is for npm to judge.
    if (found) return found.version === wanted || !/^\d/.test(wanted)
  }
  return false
}

function folderAbove(path: string): string | null {
  if (path === '') return null
  const end = path.lastIndexOf('/node_modules/')
  return end === -1 ? '' : path.slice(0, end)
}

/** Packages of one platform stand where npm would put them: in the folder that holds their parent. */
function beside(path: string, name: string): string {
  const above = folderAbove(path)
  return above ? `${above}/node_modules/${name}` : `node_modules/${name}`
}

function platformOf(name: string): Pick<Entry, 'os' | 'cpu' | 'libc'> {
  const words = name.slice(name.lastIndexOf('/') + 1).split('-')
  const os = words.map((word) => operatingSystems.get(word)).find((known) => known !== undefined)
  const cpu = words.find((word) => processors.has(word))
  const libc = words.map((word) => cLibraries.get(word)).find((known) => known !== undefined)
  if (!os && !cpu)
    throw new Error(`Cannot tell the platform of ${name}: add its words to scripts/generate/lockfile.ts`)
  return { ...(os && { os: [os] }), ...(cpu && { cpu: [cpu] }), ...(libc && { libc: [libc] }) }
}
