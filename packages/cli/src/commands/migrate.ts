/** `migrate`: runs the server's `migrate` command from a clone. */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import type { Command } from 'commander'
import { findDevelopment, findServer } from '../clone.ts'
import { declare } from '../command.ts'
import type { Context } from '../context.ts'
import { environment } from '../environment.ts'
import { CliError } from '../exit.ts'
import { requireConsent } from '../prompt.ts'

type MigrateOptions = { readonly plan?: boolean; readonly yes?: boolean }

export function migrateCommand(program: Command): void {
  declare<MigrateOptions>(program, 'migrate', 'Migrate the database at DATABASE_URL', migrate)
    .option('--plan', 'only list the pending migrations')
    .option('-y, --yes', 'skip the confirmation')
}

async function migrate({ output, signal }: Context, { plan, yes }: MigrateOptions): Promise<void> {
  const planned = await runServer(['migrate', '--plan'], signal)
  if (plan || planned.length === 0)
    return output.result({ planned }, formatMigrations('Would apply', planned))
  output.note(formatMigrations('Would apply', planned))
  await requireConsent('Apply these migrations?', yes, signal)
  const applied = await runServer(['migrate'], signal)
  output.result({ applied }, formatMigrations('Applied', applied))
}

function formatMigrations(verb: string, names: readonly string[]): string {
  return names.length === 0 ? 'Nothing to do.' : names.map((name) => `${verb} ${name}`).join('\n')
}

/** Runs the server, and returns the names of the migrations that it prints. */
async function runServer(args: readonly string[], signal: AbortSignal): Promise<string[]> {
  const server = findServer()
  if (server === null)
    throw new CliError(
      'failed',
      'The server was not found: this command does not run from a clone.',
      'Run it in a clone, or use the container image: switchyard migrate --plan',
    )
  const child = spawn(process.execPath, [server, ...args], {
    env: serverEnvironment(),
    signal,
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  let [out, err] = ['', '']
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text
  })
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new CliError('failed', err.trim() || 'The server failed without an error message.')
  return [...out.matchAll(/^(?:Would apply|Applied) (.+)$/gm)].map(([, name = '']) => name)
}

/** The environment; without DATABASE_URL, the settings of the running `npm run dev` of this clone. */
function serverEnvironment(): Record<string, string | undefined> {
  const development = findDevelopment()
  if (environment.DATABASE_URL || development?.running === undefined) return environment
  return {
    MASTER_KEYS: development.masterKeys,
    ...environment,
    DATABASE_URL: development.running.databaseUrl,
  }
}
