/** Profiles and identity: `login`, `logout`, `switch`, `whoami`. */
import type { Command } from 'commander'
import { findDevelopment } from '../clone.ts'
import { declare } from '../command.ts'
import { type Context, clientOf } from '../context.ts'
import { CliError } from '../exit.ts'
import { formatDetails, formatTable, styled } from '../output.ts'
import {
  configFile,
  modeOfToken,
  readProfiles,
  removeProfile,
  saveProfile,
  switchProfileTo,
} from '../profile.ts'
import { askSecret } from '../prompt.ts'

type LoginOptions = {
  readonly token?: string
  readonly baseUrl?: string
  readonly dashboardUrl?: string
  readonly dev?: boolean
}

export function sessionCommands(program: Command): void {
  declare<LoginOptions>(program, 'login', 'Sign in: save a token as a profile', login)
    .option('--token <token>', 'the API token; default: prompt for it, or read it from standard input')
    .option('--base-url <url>', 'the URL of your Switchyard API; default: localhost')
    .option('--dashboard-url <url>', 'the URL of your dashboard, for `open`')
    .option('--dev', 'use the URL and the test token of `npm run dev` in this clone')
  declare(program, 'logout', 'Sign out: delete the token of a profile', logout)
  declare(program, 'switch [profile]', 'Switch to another profile, or list the profiles', switchProfile)
  declare(program, 'whoami', 'Show the workspace, the role and the permissions of the token', whoami)
}

async function login({ options: common, output, signal }: Context, options: LoginOptions): Promise<void> {
  const name = common.profile ?? 'default'
  const credentials = options.dev ? developmentCredentials() : await readCredentials(options, signal)
  const profile = { name, ...credentials, dashboard_url: options.dashboardUrl ?? null }
  const client = clientOf(profile)
  // Check the token before saving it.
  const [me, workspace] = [await client.me.get(), await client.workspace.get()]
  saveProfile({ ...profile, base_url: client.baseUrl })
  output.result({ profile: name, workspace_id: workspace.id, mode: me.mode, base_url: client.baseUrl }, () =>
    [
      `Signed in to ${workspace.name} (${workspace.id}, ${me.mode}) as ${me.authority}.`,
      `Saved as profile "${name}" in ${configFile()}.`,
    ].join('\n'),
  )
}

async function readCredentials({ token, baseUrl }: LoginOptions, signal: AbortSignal) {
  const text = token ?? (await askSecret('Token: ', signal))
  if (text === '') throw new CliError('usage', 'No token was given.', 'Paste one, or add --token.')
  return { token: text, base_url: baseUrl ?? null }
}

function developmentCredentials() {
  const development = findDevelopment()
  if (development?.running === undefined)
    throw new CliError('unreachable', '`npm run dev` is not running in this clone.', 'Start it first.')
  return { token: development.tokens.test, base_url: development.running.testUrl }
}

function logout({ output, options }: Context): void {
  const name = options.profile ?? readProfiles().current
  if (!removeProfile(name)) throw new CliError('notFound', `There is no profile "${name}".`)
  output.result({ profile: name, forgotten: true }, `Deleted the token of profile "${name}".`)
}

function switchProfile({ output }: Context, _options: object, name?: string): void {
  if (name !== undefined) switchProfileTo(name)
  const { current, profiles } = readProfiles()
  const rows = Object.entries(profiles).map(([profileName, { token, base_url }]) => ({
    profile: profileName,
    current: profileName === current,
    mode: modeOfToken(token),
    base_url,
  }))
  output.result(rows, () =>
    formatTable(
      ['', 'PROFILE', 'MODE', 'URL'],
      rows.map((row) => [row.current ? '*' : '', row.profile, row.mode, row.base_url]),
    ),
  )
}

async function whoami(context: Context): Promise<void> {
  const client = await context.client()
  const me = await client.me.get()
  const workspace = await client.workspace.get()
  const { allowed_operations: allowed, object: _, ...rest } = me
  context.output.result({ ...me, workspace_name: workspace.name, base_url: client.baseUrl }, () =>
    [
      styled('bold', workspace.name),
      formatDetails({ ...rest, base_url: client.baseUrl, profile: context.profile().name }),
      `Allowed operations: ${allowed.length}; list them with --json.`,
    ].join('\n'),
  )
}
