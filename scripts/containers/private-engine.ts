// A Docker engine for machines that have none: the engine and Compose of Debian's archive, in a Debian tree of its own,
// with private mounts and a private network. Nothing is installed, no port of this machine is used, and everything is in
// one temporary folder. The engine has no registry, so the base images are built from Debian's archive and from the
// programs of this repository.

import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { delimiter, dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { archiveUri } from '../services/nats-apt.ts'
import { findNatsServer } from '../services/nats-binary.ts'
import { installedPostgres } from '../services/postgres-binaries.ts'
import { startTied, type TiedProcess } from '../services/tied-process.ts'

export type PrivateEngine = {
  readonly version: string
  /** Runs a program in the network of the engine, with `docker` on PATH, and returns its exit code. */
  run(command: string, args: readonly string[], env: NodeJS.Dict<string>): Promise<number>
  stop(): Promise<void>
}

type Step = <T>(label: string, body: () => Promise<T>) => Promise<T>

/** The Debian package of each required command. */
const packages: { readonly [command: string]: string } = {
  mmdebstrap: 'mmdebstrap',
  unshare: 'util-linux',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
  pivot_root: 'util-linux',
}
const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg'
/** The address of the name server that slirp4netns provides. */
const nameServer = '10.0.2.3'
const startTimeoutMs = 60_000
const controlGroup = `/switchyard-drill-${process.pid}`

/** What this machine lacks for a private engine. */
export function listMissingRequirements(): string[] {
  const missing: string[] = []
  if (process.platform !== 'linux' || process.getuid?.() !== 0) missing.push('Linux, and the user root')
  if (!existsSync('/dev/net/tun')) missing.push('the device /dev/net/tun')
  const absent = Object.entries(packages).flatMap(([command, name]) =>
    spawnSync(command, ['--version']).status === 0 ? [] : [name],
  )
  if (!existsSync(keyring)) absent.push('debian-archive-keyring')
  if (absent.length > 0)
    missing.push(`Debian packages: apt-get install --no-install-recommends ${[...new Set(absent)].join(' ')}`)
  return missing
}

type EngineOptions = {
  /** The folder with all files of the engine. The caller removes it. */
  readonly folder: string
  /** A folder in it that the engine sees under the same path. */
  readonly shared: string
  /** Where the Debian trees are kept. */
  readonly trees: string
  readonly step: Step
}

export async function startPrivateEngine(options: EngineOptions): Promise<PrivateEngine> {
  const { folder, shared, trees, step } = options
  const mirror = await archiveUri('main')
  const tree = join(folder, 'engine')
  mkdirSync(tree)
  await step(`Debian ${engineTree.release} with a Docker engine`, async () =>
    execFileSync('tar', ['-xf', makeTree(trees, mirror, engineTree), '-C', tree]),
  )
  const debian = await step(`Debian ${imageTree.release} for the base images`, async () =>
    makeTree(trees, mirror, imageTree),
  )
  copyFileSync('/etc/resolv.conf', join(tree, 'etc/resolv.conf'))
  const daemon = await step('start of the engine', () => startDaemon(folder, tree, shared))
  const bin = writeDockerCommand(folder, daemon)
  const env = { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) }
  const docker = (args: readonly string[]) =>
    execFileSync(join(bin, 'docker'), args, {
      cwd: shared,
      encoding: 'utf8',
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
  const network = await startNetwork(folder, tree, shared, daemon)
  const stop = async () => {
    await network.end('SIGTERM')
    await daemon.end('SIGTERM')
    removeControlGroups()
  }
  try {
    await waitForDaemon(docker, daemon)
    await buildBaseImages(docker, { shared, debian, step })
  } catch (error) {
    await stop()
    throw error
  }
  return {
    version: docker(['version', '--format', '{{.Server.Version}}']).trim(),
    stop,
    async run(command, args, extraEnv) {
      const inNetwork = [`--net=/proc/${daemon.pid}/ns/net`, command, ...args]
      const child = spawn('nsenter', inNetwork, { stdio: 'inherit', env: { ...env, ...extraEnv } })
      const [code] = await once(child, 'exit')
      return code ?? 1
    },
  }
}

type Tree = {
  readonly release: string
  readonly variant: 'apt' | 'minbase'
  readonly include: readonly string[]
}

/** Debian 13 is the first release with Compose 2 and BuildKit. */
const engineTree: Tree = {
  release: 'trixie',
  variant: 'apt',
  include: [
    'docker.io',
    'docker-cli',
    'docker-compose',
    'iptables',
    'slirp4netns',
    'ca-certificates',
    'mount',
  ],
}
/** The release of the official Node image. */
const imageTree: Tree = {
  release: 'bookworm',
  variant: 'minbase',
  include: ['ca-certificates', 'busybox-static'],
}

/** Returns an archive of a minimal Debian with the packages. Uses the one of an earlier run if there is one. */
function makeTree(folder: string, mirror: string, { release, variant, include }: Tree): string {
  const file = join(folder, `${release}.tar`)
  if (existsSync(file)) return file
  const options = [
    'APT::Install-Recommends "false"',
    'APT::Sandbox::User "root"',
    'Acquire::Languages "none"',
  ]
  const excluded = ['man', 'doc', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`)
  const draft = join(folder, `${release}.draft.tar`)
  execFileSync(
    'mmdebstrap',
    [
      '--quiet',
      '--mode=root',
      `--variant=${variant}`,
      `--include=${include.join(',')}`,
      ...options.map((option) => `--aptopt=${option}`),
      ...excluded,
      release,
      draft,
      `deb [signed-by=${keyring}] ${mirror} ${release} main`,
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  )
  renameSync(draft, file)
  return file
}

const inTree = join(import.meta.dirname, 'in-tree.sh')

/** Processes that end with this one. */
const tied = (folder: string, name: string, privateParts: string[], args: string[]) =>
  startTied({
    prefix: ['unshare', '--propagation=private', ...privateParts],
    binary: inTree,
    args,
    logFile: join(folder, `${name}.log`),
    cwd: folder,
    deathSignal: 'SIGTERM',
  })

function startDaemon(folder: string, tree: string, shared: string): Promise<TiedProcess> {
  const options = ['--host=unix:///run/docker.sock', `--dns=${nameServer}`, `--cgroup-parent=${controlGroup}`]
  return tied(folder, 'dockerd', ['--mount', '--net'], [tree, shared, 'dockerd', ...options])
}

/** Connects the private network to the outside, without access to the loopback interface of this machine. */
function startNetwork(folder: string, tree: string, shared: string, daemon: TiedProcess) {
  const command = ['slirp4netns', '--configure', '--mtu=65520', '--disable-host-loopback']
  return tied(folder, 'network', ['--mount'], [tree, shared, ...command, String(daemon.pid), 'tap0'])
}

/** A `docker` command that runs in the engine's tree, in the folder in which it is called. */
function writeDockerCommand(folder: string, daemon: TiedProcess): string {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  const inFolder = `cd "$1" && shift && exec docker --host unix:///run/docker.sock "$@"`
  const script = `exec nsenter --target ${daemon.pid} --mount --net sh -c '${inFolder}' sh "$PWD" "$@"`
  writeFileSync(join(bin, 'docker'), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  return bin
}

async function waitForDaemon(docker: (args: string[]) => string, daemon: TiedProcess): Promise<void> {
  const deadline = performance.now() + startTimeoutMs
  for (;;) {
    try {
      docker(['info'])
      return
    } catch (error) {
      if (!daemon.running() || performance.now() > deadline)
        throw new Error(`The Docker engine did not start:\n${daemon.lastOutput()}`, { cause: error })
      await sleep(250)
    }
  }
}

/** The engine leaves its empty control groups behind. */
function removeControlGroups(): void {
  const roots = [
    '/sys/fs/cgroup',
    ...readdirSync('/sys/fs/cgroup').map((name) => join('/sys/fs/cgroup', name)),
  ]
  for (const root of roots) {
    const group = join(root, controlGroup)
    if (existsSync(group)) spawnSync('find', [group, '-depth', '-type', 'd', '-exec', 'rmdir', '{}', ';'])
  }
}

type ImageOptions = { readonly shared: string; readonly debian: string; readonly step: Step }

/** Builds images with the names that the Dockerfile and compose.yaml use. */
async function buildBaseImages(docker: (args: string[]) => string, options: ImageOptions): Promise<void> {
  const { shared, debian, step } = options
  copyFileSync(debian, join(shared, 'debian.tar'))
  docker(['import', join(shared, 'debian.tar'), 'drill-debian'])
  const contexts = join(shared, 'images')
  cpSync(join(import.meta.dirname, 'images'), contexts, { recursive: true })
  copyFileSync(process.execPath, join(contexts, 'node/node'))
  cpSync(npmFolder(), join(contexts, 'node/npm'), { recursive: true })
  copyFileSync('/etc/ssl/certs/ca-certificates.crt', join(contexts, 'node/ca-certificates.crt'))
  const nats = await findNatsServer()
  if (nats.binary === null) throw new Error(nats.explanation)
  copyFileSync(nats.binary, join(contexts, 'nats/nats-server'))
  cpSync(installedPostgres(), join(contexts, 'postgres/native'), { recursive: true, verbatimSymlinks: true })
  const images = { node: 'node:24-bookworm-slim', nats: 'nats:2.12-alpine', postgres: 'postgres:18' }
  for (const [name, image] of Object.entries(images))
    await step(`base image ${image}`, async () => docker(['build', '--tag', image, join(contexts, name)]))
  rmSync(contexts, { recursive: true })
  rmSync(join(shared, 'debian.tar'))
}

/** The npm that runs this script. */
function npmFolder(): string {
  const command = process.env.npm_execpath
  if (command === undefined) throw new Error('Run this script with npm.')
  return resolve(dirname(command), '..')
}
