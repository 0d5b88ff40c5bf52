/** What every command gets: somewhere to write, a signal that ends it, and the client of its workspace. */
import { Switchyard } from '@switchyard/sdk'
import { CliError, Interrupted } from './exit.ts'
import { createOutput, type Output, styled } from './output.ts'
import { modeOf, type NamedProfile, requireProfile } from './profile.ts'

/** Options that every command has. */
export type CommonOptions = {
  readonly json?: boolean
  readonly profile?: string
  readonly live?: boolean
}

export type Context = {
  readonly output: Output
  /** Aborted by Ctrl-C: what is open ends, and so does the command. */
  readonly signal: AbortSignal
  readonly options: CommonOptions
  profile(): NamedProfile
  /** Of the profile. For a live one it says first whose money it is about. */
  client(): Promise<Switchyard>
}

export function createContext(options: CommonOptions, signal: AbortSignal): Context {
  const output = createOutput(options.json === true)
  const profile = () => requireProfile(options.profile)
  return {
    output,
    signal,
    options,
    profile,
    async client() {
      const used = profile()
      const client = clientOf(used)
      if (modeOf(used.token) === 'live') await admitLive(client, used, options, output)
      return client
    },
  }
}

export function clientOf({ token, base_url }: Pick<NamedProfile, 'token' | 'base_url'>): Switchyard {
  return new Switchyard({ token, ...(base_url === null ? {} : { baseUrl: base_url }) })
}

/** A signal that the process is asked to stop. Asked twice, it stops at once. */
export function interruption(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => controller.abort(new Interrupted()))
  return controller.signal
}

async function admitLive(
  client: Switchyard,
  { name }: NamedProfile,
  { live }: CommonOptions,
  output: Output,
): Promise<void> {
  if (live !== true)
    throw new CliError(
      'notAllowed',
      `The profile "${name}" is live: real customers, real money.`,
      'Add --live if you mean it, or choose another one with --profile.',
    )
  const workspace = await client.workspace.get()
  output.warn(styled(['bold', 'red'], `LIVE  ${workspace.name}  ${workspace.id}`))
}
