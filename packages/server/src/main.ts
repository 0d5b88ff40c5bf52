/** From the command line to a running process, and the only place that ends one. */
import { setTimeout as sleep } from 'node:timers/promises'
import { parseArgs } from 'node:util'
import { buildApp, buildDashboard } from './app.ts'
import { compose, type Switchyard } from './compose.ts'
import { linesOf } from './config/shown.ts'
import { type Config, ConfigError, readConfig, showConfig } from './config.ts'
import { watchBacklog } from './domains/attention/service/backlog.ts'
import { makeSignInLink } from './domains/sign-in/service.ts'
import { AssertionFailed } from './kernel/assert.ts'
import { Refusal } from './kernel/errors.ts'
import type { Mode } from './kernel/id.ts'
import { evaluate, release, rotateKeys, runDoctor, showParked, verifyAudit } from './operator.ts'
import { armCrashpoint } from './platform/crashpoint.ts'
import { migrate, planFor } from './platform/db/migrate.ts'
import { startWorkers } from './platform/engine/engine.ts'
import { createOps } from './platform/http/ops.ts'
import { readinessOf, watchDatabase } from './readiness.ts'
import { setUp } from './setup.ts'
import { works } from './worker.ts'

const usage = `Usage: npm run server -- <command>, or in an image: switchyard <command>

  all                 API and worker in one process
  api                 the two addresses of the API, and the dashboard
  worker              work, reconciler and chores
  migrate [--plan]    bring the database forward, or only say how
  setup --email <address> [--organization <name>]
                      make the first organization, its workspaces, an ADMIN and tokens
  sign-in-link --email <address>
                      make a link by which that person signs in once, within fifteen minutes
  config [--json]     print every setting and where its value comes from, without secrets
  doctor [--json]     check the installation, and say what to do
  verify-audit        walk the chain of every audit log
  parked              list work that failed too often
  parked release <work> <workspace id> <object id>
  routes evaluate --route <payment route id> [--days 30] [--json]
                      what an adaptive order is worth against the fixed one, by what was recorded
  keys rotate         seal the keys of all workspaces with the first of MASTER_KEYS

The environment configures it, see docs/reference/configuration.md.`

/** How long a process that was asked to stop may take. */
const patienceMs = 30_000

async function main(): Promise<void> {
  requireNode24()
  const { positionals, values } = readArguments()
  const [command = 'help'] = positionals
  if (command === 'api' || command === 'worker' || command === 'all') return serve(readConfig(), command)
  if (command === 'config') return printConfig(values.json === true)
  if (command === 'migrate') return runMigrations(readConfig(), values.plan === true)
  if (command === 'setup') return runSetup(readConfig(), values)
  if (command === 'sign-in-link') return runSignInLink(readConfig(), values.email)
  if (['doctor', 'verify-audit', 'parked', 'keys rotate', 'routes evaluate'].some(isAsked(positionals)))
    return runOperator(readConfig(), positionals, values)
  process.stdout.write(`${usage}\n`)
  if (command !== 'help') process.exitCode = 2
}

/** Of two words both have to be there; what follows is the command's own. */
const isAsked = (positionals: readonly string[]) => (command: string) =>
  command.split(' ').every((word, at) => positionals[at] === word)

type Values = ReturnType<typeof readArguments>['values']

function readArguments() {
  try {
    const text = { type: 'string' } as const
    const flag = { type: 'boolean' } as const
    const options = {
      ...{ plan: flag, help: { ...flag, short: 'h' }, email: text, organization: text },
      ...{ route: text, days: text, json: flag },
    } as const
    const { positionals, values } = parseArgs({ allowPositionals: true, options })
    return { positionals: values.help ? ['help'] : positionals, values }
  } catch (error) {
    throw new ConfigError(`${(error as Error).message.split('. To specify')[0]}.\n\n${usage}`)
  }
}

/** Runs without a database, and with settings that do not fit: it is how one finds out. */
function printConfig(asJson: boolean): void {
  const shown = showConfig()
  process.stdout.write(`${asJson ? JSON.stringify(shown, null, 2) : linesOf(shown).join('\n')}\n`)
  process.exitCode = shown.faults.length > 0 ? 1 : 0
}

async function runMigrations(config: Config, onlyPlan: boolean): Promise<void> {
  const names = onlyPlan ? await planFor(config.databaseOwnerUrl) : await migrate(config.databaseOwnerUrl)
  const verb = onlyPlan ? 'Would apply' : 'Applied'
  process.stdout.write(
    names.length === 0 ? 'Nothing to do.\n' : names.map((name) => `${verb} ${name}\n`).join(''),
  )
}

async function runSetup(config: Config, values: { email?: string; organization?: string }): Promise<void> {
  if (!values.email) throw new ConfigError('setup needs --email <address>: the person who may do everything.')
  const switchyard = compose(config)
  const made = await setUp(switchyard.deps, {
    email: values.email,
    organization: values.organization ?? 'Switchyard',
  })
  await switchyard.close()
  process.stdout.write(
    made === null
      ? 'There is an organization already; nothing was changed.\n'
      : `${JSON.stringify(made, null, 2)}\n`,
  )
}

async function runSignInLink(config: Config, email: string | undefined): Promise<void> {
  if (!email) throw new ConfigError('sign-in-link needs --email <address>: the person who is to sign in.')
  const switchyard = compose({ ...config, logLevel: 'error' })
  const link = await makeSignInLink(switchyard.deps, email)
  await switchyard.close()
  if (link === null) throw new ConfigError('There is no active person with this e-mail address.')
  process.stdout.write(`${link}\n`)
}

async function runOperator(config: Config, asked: readonly string[], values: Values): Promise<void> {
  const switchyard = compose({ ...config, logLevel: 'error' })
  const isWell = await operate(switchyard, asked, values)
  await switchyard.close()
  process.exitCode = isWell ? 0 : 1
}

async function operate(
  switchyard: Switchyard,
  [command, verb, ...rest]: readonly string[],
  values: Values,
): Promise<boolean> {
  const say = (line: string) => process.stdout.write(`${line}\n`)
  if (command === 'doctor') return runDoctor(switchyard, values, say)
  if (command === 'verify-audit') return verifyAudit(switchyard, say)
  if (command === 'keys') return rotateKeys(switchyard, say)
  if (command === 'routes') return evaluate(switchyard, values, say)
  if (verb === 'release') return release(switchyard, rest, say)
  await showParked(switchyard, say)
  return true
}

async function serve(config: Config, command: 'api' | 'worker' | 'all'): Promise<void> {
  armCrashpoint(config.crashpoint)
  const switchyard = compose(config)
  const { log, metrics, engine, deps } = switchyard
  const ops = createOps(metrics, () => readinessOf(switchyard))
  await ops.listen(config.listen.ops)
  const database = watchDatabase(switchyard)
  switchyard.health.start()
  const apps = command === 'worker' ? [] : await listen(switchyard)
  const workers =
    command === 'api'
      ? null
      : startWorkers(engine, {
          deps,
          works,
          databaseUrl: config.databaseOwnerUrl,
          log,
          metrics,
          settings: { replicas: config.natsReplicas },
          backlog: watchBacklog(deps, metrics),
        })
  for (const note of [...config.notices, ...(await readinessOf(switchyard)).notes]) log.warn(note)
  log.info('ready')

  onStop(config.drainSeconds * 1000, async () => {
    log.info('stopping')
    // Others are told first, so that callers go elsewhere; then no new requests and no new work.
    switchyard.drain()
    await sleep(config.drainSeconds * 1000)
    await Promise.all([...apps.map((app) => app.close()), workers?.stop()])
    await Promise.all([ops.close(), database.stop()])
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
    log.info('the dashboard is listening', { address })
    return dashboard
  })
  return Promise.all([...apis, pages])
}

function onStop(drainMs: number, stop: () => Promise<void>): void {
  let stopping = false
  const begin = () => {
    if (stopping) return
    stopping = true
    setTimeout(() => process.exit(1), drainMs + patienceMs).unref()
    stop().then(() => process.exit(0), fail)
  }
  process.once('SIGTERM', begin)
  process.once('SIGINT', begin)
}

/** `engines` only warns, and an older Node would fail later with something stranger. */
function requireNode24(): void {
  const [major = 0, minor = 0] = process.versions.node.split('.').map(Number)
  if (major > 24 || (major === 24 && minor >= 7)) return
  throw new ConfigError(
    `Switchyard needs Node 24.7 or newer; this is ${process.version}. \`npm run server\` uses the one that npm ci brings.`,
  )
}

/** What an operator meets most, in words that say what to do. */
const known: Record<string, string> = {
  ECONNREFUSED: 'Postgres does not accept connections there. Check DATABASE_URL, and that it runs.',
  ENOTFOUND: 'The host in DATABASE_URL is not known.',
  '28P01': 'Postgres refuses the password in DATABASE_URL.',
  '3D000': 'The database that DATABASE_URL names does not exist. Create it first.',
  '42P01': 'The database is not migrated. Run the command migrate first.',
  '55P03':
    'Somebody holds a lock for long, so the database was not changed. See pg_stat_activity, and run it again.',
  '22023': 'The database is not migrated, or its user lacks the roles. Run the command migrate first.',
  EADDRINUSE: 'A port is taken. Set LIVE_LISTEN, TEST_LISTEN, DASHBOARD_LISTEN and OPS_LISTEN to free ones.',
}

/** A person reads this: a sentence where we have one, else all that we know. */
function fail(error: unknown): never {
  process.stderr.write(`${sentenceFor(error) ?? (error instanceof Error ? error.stack : String(error))}\n`)
  process.exit(1)
}

function sentenceFor(error: unknown): string | null {
  if (error instanceof ConfigError || error instanceof AssertionFailed || error instanceof Refusal)
    return error.message
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  return known[code] === undefined ? null : `${known[code]} (${(error as Error).message})`
}

main().catch(fail)
