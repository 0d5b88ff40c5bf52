/** The command line of the server. Only this file ends the process. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { buildApp, buildDashboard } from './app.ts'
import { compose, type Switchyard } from './compose.ts'
import { linesOf } from './config/displayed-settings.ts'
import { type Config, ConfigError, databasesOf, ownerUrlOf, readConfig, showConfig } from './config.ts'
import { watchAuditOutbox } from './domains/access/audit/service/outbox.ts'
import { createSignInLink } from './domains/access/sign-in/service.ts'
import { watchBacklog } from './domains/workspace/attention/service/backlog.ts'
import { AssertionFailed } from './kernel/assert.ts'
import { Refusal } from './kernel/errors.ts'
import type { Mode } from './kernel/id.ts'
import {
  backfillLedger,
  evaluate,
  importBins,
  reconcile,
  release,
  rotateKeys,
  runCells,
  runDirectory,
  runDoctor,
  showParked,
  verifyAudit,
  verifyLedger,
} from './operator.ts'
import { armCrashpoint } from './platform/crashpoint.ts'
import { CellError } from './platform/db/cell-directory.ts'
import { migrate, planFor } from './platform/db/migrate.ts'
import { spreadSlots } from './platform/db/placements.ts'
import { startWorkers } from './platform/engine/engine.ts'
import { createOps } from './platform/http/ops.ts'
import { readinessOf, watchDatabases } from './readiness.ts'
import { setUp } from './setup.ts'
import { workTypes } from './work-types.ts'

const usage = `Usage: npm run server -- <command>, or in an image: switchyard <command>

  all                 API and worker in one process
  api                 the live and test API, and the dashboard
  worker              background work, reconciler and hourly maintenance
  migrate [--plan]    migrate the database, or only list the pending migrations
  setup --email <address> [--organization <name>]
                      create the first organization, its workspaces, an ADMIN and tokens
  sign-in-link --email <address>
                      create a single-use sign-in link for that person, valid for 15 minutes
  config [--json]     print every setting and the source of its value, without secrets
  doctor [--json]     check the installation and suggest fixes
  verify-audit        verify the hash chain of every audit log
  verify-ledger       recompute payments, invoices, credit and balances from the ledger, and print differences
  backfill-ledger     start posting changes that a version without a ledger made; workers do it in the background
  parked              list work that failed ten times and was stopped
  parked release <work> <workspace id> <object id>
                      retry it
  reconcile --since <instant> [--apply [--return-unknown]]
                      compare the operations of providers since then with ours, and rebuild what is missing
  routes evaluate --route <payment route id> [--days 30] [--json]
                      estimate the approval rate of an adaptive order from recorded payments
  import-bins <file>  replace the BIN table (country, issuer and funding of cards)
  cells move <workspace id> --to <shard> | --back
                      move a workspace to another data shard, continue a move, or undo it
  cells moves         list the moves in progress
  cells clean-up <workspace id> [--now]
                      end a move: delete what the other shard has of the workspace
  cells add <name> --live <url> --test <url> --dashboard <url>
                      add another cell, or change its addresses
  cells import <name> <file>
                      replace the directory of another cell with an exported one
  cells export        print the directory of this cell
  cells list          list the other cells
  cells remove <name> forget another cell and its directory
  keys rotate         encrypt the keys of all workspaces with the first key in MASTER_KEYS

The server is configured by environment variables: see docs/reference/configuration.md.`

const operatorCommands = [
  'doctor',
  'verify-audit',
  'verify-ledger',
  'backfill-ledger',
  'parked',
  'reconcile',
  'keys rotate',
  'routes evaluate',
  'import-bins',
]

/** Commands that use only the databases. */
const cellsCommands = ['cells move', 'cells moves', 'cells clean-up']
const directoryCommands = ['cells add', 'cells import', 'cells export', 'cells list', 'cells remove']

/** The time limit for stopping a process. */
const stopTimeoutMs = 30_000

async function main(): Promise<void> {
  requireNode24()
  const { positionals, values } = readArguments()
  const [command = 'help'] = positionals
  if (command === 'api' || command === 'worker' || command === 'all') return serve(readConfig(), command)
  if (command === 'config') return printConfig(values.json === true)
  if (command === 'migrate') return runMigrations(readConfig(), values.plan === true)
  if (command === 'setup') return runSetup(readConfig(), values)
  if (command === 'sign-in-link') return runSignInLink(readConfig(), values.email)
  if (cellsCommands.some(matchesCommand(positionals))) return moveCells(readConfig(), positionals, values)
  if (directoryCommands.some(matchesCommand(positionals)))
    return changeCells(readConfig(), positionals, values)
  if (operatorCommands.some(matchesCommand(positionals)))
    return runOperator(readConfig(), positionals, values)
  process.stdout.write(`${usage}\n`)
  if (command !== 'help') process.exitCode = 2
}

/** A command of two words requires both. Further arguments belong to the command. */
const matchesCommand = (positionals: readonly string[]) => (command: string) =>
  command.split(' ').every((word, index) => positionals[index] === word)

type Values = ReturnType<typeof readArguments>['values']

function readArguments() {
  try {
    const text = { type: 'string' } as const
    const flag = { type: 'boolean' } as const
    const options = {
      plan: flag,
      help: { ...flag, short: 'h' },
      email: text,
      organization: text,
      route: text,
      days: text,
      json: flag,
      since: text,
      apply: flag,
      'return-unknown': flag,
      to: text,
      back: flag,
      now: flag,
      live: text,
      test: text,
      dashboard: text,
    } as const
    const { positionals, values } = parseArgs({ allowPositionals: true, options })
    return { positionals: values.help ? ['help'] : positionals, values }
  } catch (error) {
    throw new ConfigError(`${(error as Error).message.split('. To specify')[0]}.\n\n${usage}`)
  }
}

/** Runs without a database and with invalid settings, which it reports. */
function printConfig(asJson: boolean): void {
  const shown = showConfig()
  process.stdout.write(`${asJson ? JSON.stringify(shown, null, 2) : linesOf(shown).join('\n')}\n`)
  process.exitCode = shown.faults.length > 0 ? 1 : 0
}

async function runMigrations(config: Config, onlyPlan: boolean): Promise<void> {
  const verb = onlyPlan ? 'Would apply' : 'Applied'
  const isSharded = config.shards.length > 1
  const lines: string[] = []
  for (const [url, database] of databasesOf(config)) {
    const names = onlyPlan ? await planFor(url) : await migrate(url)
    lines.push(...names.map((name) => `${verb} ${name}${isSharded ? ` on ${database}` : ''}`))
  }
  if (lines.length === 0) lines.push('Nothing to do: all migrations are applied.')
  if (isSharded && !onlyPlan) {
    const changed = await spreadSlots(config.databaseOwnerUrl, config.shards)
    if (changed > 0) lines.push(`Assigned ${changed} slots without workspaces to shards.`)
  }
  process.stdout.write(lines.map((line) => `${line}\n`).join(''))
}

async function runSetup(config: Config, values: { email?: string; organization?: string }): Promise<void> {
  if (!values.email)
    throw new ConfigError('setup requires --email <address>: the email address of the first ADMIN.')
  const switchyard = compose(config)
  await switchyard.deps.databases.loadMap()
  const result = await setUp(switchyard.deps, {
    email: values.email,
    organization: values.organization ?? 'Switchyard',
  })
  await switchyard.close()
  process.stdout.write(
    result === null
      ? 'An organization already exists; nothing was changed.\n'
      : `${JSON.stringify(result, null, 2)}\n`,
  )
}

async function runSignInLink(config: Config, email: string | undefined): Promise<void> {
  if (!email)
    throw new ConfigError('sign-in-link requires --email <address>: the email address of the person.')
  const switchyard = compose({ ...config, logLevel: 'error' })
  await switchyard.deps.databases.loadMap()
  const link = await createSignInLink(switchyard.deps, email)
  await switchyard.close()
  if (link === null) throw new ConfigError('There is no active person with this email address.')
  process.stdout.write(`${link}\n`)
}

async function runOperator(config: Config, positionals: readonly string[], values: Values): Promise<void> {
  armCrashpoint(config.crashpoint)
  const switchyard = compose({ ...config, logLevel: 'error' })
  await loadMapFor(positionals, switchyard)
  const succeeded = await operate(switchyard, positionals, values)
  await switchyard.close()
  process.exitCode = succeeded ? 0 : 1
}

async function moveCells(config: Config, [, ...args]: readonly string[], values: Values): Promise<void> {
  armCrashpoint(config.crashpoint)
  const succeeded = await runCells(config, args, values, (line) => process.stdout.write(`${line}\n`))
  process.exitCode = succeeded ? 0 : 1
}

function changeCells(config: Config, [, ...args]: readonly string[], values: Values): Promise<void> {
  return runDirectory(config, args, values, (line) => process.stdout.write(`${line}\n`))
}

/** The doctor also runs while the control plane is unavailable. */
async function loadMapFor([command]: readonly string[], { deps }: Switchyard): Promise<void> {
  const loading = deps.databases.loadMap()
  await (command === 'doctor' ? loading.catch(() => {}) : loading)
}

async function operate(
  switchyard: Switchyard,
  [command, verb, ...rest]: readonly string[],
  values: Values,
): Promise<boolean> {
  const print = (line: string) => process.stdout.write(`${line}\n`)
  if (command === 'doctor') return runDoctor(switchyard, values, print)
  if (command === 'verify-audit') return verifyAudit(switchyard, print)
  if (command === 'verify-ledger') return verifyLedger(switchyard, print)
  if (command === 'backfill-ledger') return backfillLedger(switchyard, print)
  if (command === 'reconcile') return reconcile(switchyard, values, print)
  if (command === 'keys') return rotateKeys(switchyard, print)
  if (command === 'routes') return evaluate(switchyard, values, print)
  if (command === 'import-bins') return importBins(switchyard, verb, print)
  if (verb === 'release') return release(switchyard, rest, print)
  await showParked(switchyard, print)
  return true
}

async function serve(config: Config, command: 'api' | 'worker' | 'all'): Promise<void> {
  armCrashpoint(config.crashpoint)
  const switchyard = compose(config)
  const { log, metrics, engine, deps } = switchyard
  const ops = createOps(metrics, () => readinessOf(switchyard))
  await ops.listen(config.listen.ops)
  // Building the apps blocks the event loop for seconds, and pending requests would time out: connect to NATS
  // first.
  await engine.connection.firstAttempt
  const signingKeys = await switchyard.signingKeys.keepLoaded(deps.databases, log)
  const apps = command === 'worker' ? [] : await listen(switchyard)
  const database = watchDatabases(switchyard)
  switchyard.health.start()
  const workers =
    command === 'api'
      ? null
      : startWorkers(engine, {
          deps,
          workTypes,
          ownerUrlOf: ({ name }) => ownerUrlOf(config, name),
          log,
          metrics,
          settings: { replicas: config.natsReplicas },
          leaderTasks: [watchBacklog(deps, metrics), watchAuditOutbox(deps, metrics)],
        })
  for (const note of [...config.notices, ...(await readinessOf(switchyard)).notes]) log.warn(note)
  log.info('ready')

  onStop(config.drainSeconds * 1000, async () => {
    log.info('stopping')
    // First /readyz fails, so that load balancers switch to other processes; then new requests and new work
    // stop.
    switchyard.drain()
    await sleep(config.drainSeconds * 1000)
    await Promise.all([...apps.map((app) => app.close()), workers?.stop()])
    await Promise.all([ops.close(), database.stop(), signingKeys.stop()])
    await switchyard.close()
    log.info('stopped')
  })
}

async function listen(switchyard: Switchyard) {
  const { config, log } = switchyard
  const modes: readonly Mode[] = ['live', 'test']
  const apis = modes.map(async (mode) => {
    const app = buildApp(switchyard, mode)
    log.info('listening', { mode, address: await app.listen(config.listen[mode]) })
    return app
  })
  const dashboard = buildDashboard(switchyard)
  const pages = dashboard.listen(config.dashboard.listen).then((address) => {
    log.info('dashboard is listening', { address })
    return dashboard
  })
  return Promise.all([...apis, pages])
}

function onStop(drainMs: number, stop: () => Promise<void>): void {
  let stopping = false
  const stopOnce = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), drainMs + stopTimeoutMs).unref()
    stop().then(() => process.exit(0), fail)
  }
  process.once('SIGTERM', stopOnce)
  process.once('SIGINT', stopOnce)
}

/** `engines` only warns, and an older Node would fail later with a less helpful error. */
function requireNode24(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 7)) return
  throw new ConfigError(
    `Switchyard needs Node 24.7 or newer; this is ${process.version}. \`npm run server\` uses the version that npm ci installs.`,
  )
}

/** The most frequent startup errors, with instructions. */
const startupErrors: Record<string, string> = {
  ECONNREFUSED:
    'Postgres does not accept connections at this address. Check DATABASE_URL, and that Postgres is running.',
  ENOTFOUND: 'The host name in DATABASE_URL cannot be resolved.',
  '28P01': 'Postgres rejects the password in DATABASE_URL.',
  '3D000': 'The database in DATABASE_URL does not exist. Create it first.',
  '42P01': 'The database is not migrated. Run the command migrate first.',
  '55P03':
    'A lock was not released in time, so the database was not changed. Find the session that holds it in pg_stat_activity, and run the command again.',
  '22023':
    'The database is not migrated, or its user lacks the required roles. Run the command migrate first.',
  EADDRINUSE:
    'A port is already in use. Set LIVE_LISTEN, TEST_LISTEN, DASHBOARD_LISTEN and OPS_LISTEN to free ports.',
}

/** Prints an instruction for known errors, and the stack trace for others. */
function fail(error: unknown): never {
  process.stderr.write(`${instructionFor(error) ?? (error instanceof Error ? error.stack : String(error))}\n`)
  process.exit(1)
}

/** Errors whose message says what to do. */
const expectedErrors = [ConfigError, AssertionFailed, Refusal, CellError]

function instructionFor(error: unknown): string | null {
  if (expectedErrors.some((expected) => error instanceof expected)) return (error as Error).message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return startupErrors[code] === undefined ? null : `${startupErrors[code]} (${(error as Error).message})`
}

main().catch(fail)
