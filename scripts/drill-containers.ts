// `npm run drill:containers -- [--seconds 20] [--rate 5] [--private-engine] [--trees <folder>]`: clones the current commit, runs the commands
// of docs/operations/install.md under "With Docker", takes a payment, receives its webhook, checks the containers, restarts
// them, replaces API processes under load, and removes everything. Prints the duration of each step.
//
// Uses the Docker engine of this machine. Without one, or with --private-engine, it starts one from Debian's archive: see
// containers/private-engine.ts. --trees keeps its Debian trees for the next run.

import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { runInstallationDrill } from './containers/installation-drill.ts'
import { listMissingRequirements, startPrivateEngine } from './containers/private-engine.ts'
import { runTimed } from './containers/run-timed.ts'

const { values } = parseArgs({
  options: {
    seconds: { type: 'string', default: '20' },
    rate: { type: 'string', default: '5' },
    'private-engine': { type: 'boolean', default: false },
    trees: { type: 'string' },
    /** Used by the drill itself: the clone, in a process that runs in the network of the private engine. */
    clone: { type: 'string' },
  },
})
const root = resolve(import.meta.dirname, '..')
const load = { seconds: Number(values.seconds), perSecond: Number(values.rate) }

if (values.clone !== undefined) await runInstallationDrill(values.clone, load)
else if (!values['private-engine'] && hasDocker()) await inClone(runInstallationDrill)
else await inPrivateEngine()

function hasDocker(): boolean {
  return [['info'], ['compose', 'version']].every((args) => spawnSync('docker', args).status === 0)
}

async function inClone(body: (clone: string, options: typeof load) => Promise<void>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-containers-'))
  try {
    await body(cloneInto(folder), load)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function cloneInto(folder: string): string {
  const clone = join(folder, 'switchyard')
  execFileSync('git', ['clone', '--quiet', root, clone])
  return clone
}

async function inPrivateEngine(): Promise<void> {
  const missing = listMissingRequirements()
  if (missing.length > 0) {
    console.error('This drill cannot run. Install Docker Engine with Compose 2 or newer, or provide:')
    console.error(missing.map((requirement) => `  ${requirement}`).join('\n'))
    process.exit(1)
  }
  const folder = mkdtempSync(join(tmpdir(), 'switchyard-containers-'))
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit(130))
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }))
  const shared = join(folder, 'shared')
  mkdirSync(shared)
  const trees = resolve(values.trees ?? folder)
  mkdirSync(trees, { recursive: true })
  const engine = await startPrivateEngine({ folder, shared, trees, step: runTimed })
  console.log(`Docker ${engine.version} from Debian, with locally built base images.`)
  const args = [import.meta.filename, `--clone=${cloneInto(shared)}`, `--seconds=${values.seconds}`]
  process.exitCode = await engine
    .run(process.execPath, [...args, `--rate=${values.rate}`], {})
    .finally(engine.stop)
}
