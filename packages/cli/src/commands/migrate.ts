/** `migrate`: the server's own command, for operators who work from a clone. */
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
  declare<MigrateOptions>(program, 'migrate', 'Bring the database that DATABASE_URL names forward', migrate)
    .option('--plan', 'only say what would be applied')
    .option('-y, --yes', 'do not ask')
}

async function migrate({ output, signal }: Context, { plan, yes }: MigrateOptions): Promise<void> {
  const planned = await runServer(['migrate', '--plan'], signal)
  if (plan || planned.length === 0) return output.result({ planned }, words('Would apply', planned))
  output.note(words('Would apply', planned))
  await requireConsent('Apply them?', yes, signal)
  const applied = await runServer(['migrate'], signal)
  output.result({ applied }, words('Applied', applied))
}

function words(verb: string, names: readonly string[]): string {
  return names.length === 0 ? 'Nothing to do.' : names.map((name) => `${verb} ${name}`).join('\n')
}

/** The names of the migrations that it prints. */
async function runServer(args: readonly string[], signal: AbortSignal): Promise<string[]> {
  const server = findServer()
  if (server === null)
    throw new CliError(
      'failed',
      'There is no server beside this command.',
      'Run it in a clone, or use the image: switchyard migrate --plan',
    )
  const child = spawn(process.execPath, [server, ...args], {
    env: settings(),
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
  if (code !== 0) throw new CliError('failed', err.trim() || 'The server ended without a word.')
  return [...out.matchAll(/^(?:Would apply|Applied) (.+)$/gm)].map(([, name = '']) => name)
}

/** Those of the environment; without a database in it, those of the `npm run dev` of this clone. */
function settings(): Record<string, string | undefined> {
  const development = findDevelopment()
  if (environment.DATABASE_URL || development?.running === undefined) return environment
  return {
    MASTER_KEYS: development.masterKeys,
    ...environment,
    DATABASE_URL: development.running.databaseUrl,
  }
}
