/** Who one is: `login`, `logout`, `switch`, `whoami`. */
import type { Command } from 'commander'
import { findDevelopment } from '../clone.ts'
import { declare } from '../command.ts'
import { type Context, clientOf } from '../context.ts'
import { CliError } from '../exit.ts'
import { detailsOf, styled, tableOf } from '../output.ts'
import { configFile, modeOf, readProfiles, removeProfile, saveProfile, switchTo } from '../profile.ts'
import { askSecret } from '../prompt.ts'

type LoginOptions = {
  readonly token?: string
  readonly baseUrl?: string
  readonly dashboardUrl?: string
  readonly dev?: boolean
}

export function sessionCommands(program: Command): void {
  declare<LoginOptions>(program, 'login', 'Keep a token for the commands that follow', login)
    .option('--token <token>', 'the token; without it you are asked, or it is read from standard input')
    .option('--base-url <url>', 'the address of your Switchyard; without it, this machine')
    .option('--dashboard-url <url>', 'the address of your dashboard, for `open`')
    .option('--dev', 'the address and the test token of the `npm run dev` of this clone')
  declare(program, 'logout', 'Forget the token of a profile', logout)
  declare(program, 'switch [profile]', 'List the profiles, or use another one from now on', switchProfile)
  declare(program, 'whoami', 'The workspace, the role and the rights of the token', whoami)
}

async function login({ options: common, output, signal }: Context, options: LoginOptions): Promise<void> {
  const name = common.profile ?? 'default'
  const chosen = options.dev ? requireDevelopment() : await typed(options, signal)
  const profile = { name, ...chosen, dashboard_url: options.dashboardUrl ?? null }
  const client = clientOf(profile)
  // Asked before anything is kept: a token that does not work is found out now.
  const [me, workspace] = [await client.me.get(), await client.workspace.get()]
  saveProfile({ ...profile, base_url: client.baseUrl })
  output.result({ profile: name, workspace_id: workspace.id, mode: me.mode, base_url: client.baseUrl }, () =>
    [
      `Signed in to ${workspace.name} (${workspace.id}, ${me.mode}) as ${me.authority}.`,
      `Kept as profile "${name}" in ${configFile()}.`,
    ].join('\n'),
  )
}

async function typed({ token, baseUrl }: LoginOptions, signal: AbortSignal) {
  const text = token ?? (await askSecret('Token: ', signal))
  if (text === '') throw new CliError('usage', 'No token was given.', 'Paste one, or add --token.')
  return { token: text, base_url: baseUrl ?? null }
}

function requireDevelopment() {
  const development = findDevelopment()
  if (development?.running === undefined)
    throw new CliError('unreachable', '`npm run dev` has not run in this clone.', 'Start it, and try again.')
  return { token: development.tokens.test, base_url: development.running.testUrl }
}

function logout({ output, options }: Context): void {
  const name = options.profile ?? readProfiles().current
  if (!removeProfile(name)) throw new CliError('notFound', `There is no profile "${name}".`)
  output.result({ profile: name, forgotten: true }, `Forgot the token of "${name}".`)
}

function switchProfile({ output }: Context, _options: object, name?: string): void {
  if (name !== undefined) switchTo(name)
  const { current, profiles } = readProfiles()
  const rows = Object.entries(profiles).map(([own, { token, base_url }]) => ({
    profile: own,
    current: own === current,
    mode: modeOf(token),
    base_url,
  }))
  output.result(rows, () =>
    tableOf(
      ['', 'PROFILE', 'MODE', 'ADDRESS'],
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
      detailsOf({ ...rest, base_url: client.baseUrl, profile: context.profile().name }),
      `May call ${allowed.length} operations; \`--json\` lists them.`,
    ].join('\n'),
  )
}
