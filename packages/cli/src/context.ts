/** The context of a command: output, abort signal, profile and API client. */
import { Switchyard } from '@switchyard/sdk'
import { CliError, Interrupted } from './exit.ts'
import { createOutput, type Output, styled } from './output.ts'
import { modeOfToken, type NamedProfile, requireProfile } from './profile.ts'

/** Options that every command has. */
export type CommonOptions = {
  readonly json?: boolean
  readonly profile?: string
  readonly live?: boolean
}

export type Context = {
  readonly output: Output
  /** Aborted by Ctrl-C or a termination signal. */
  readonly signal: AbortSignal
  readonly options: CommonOptions
  profile(): NamedProfile
  /** The client of the profile. A live profile requires `--live` and prints the name of the workspace first. */
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
      const activeProfile = profile()
      const client = clientOf(activeProfile)
      if (modeOfToken(activeProfile.token) === 'live')
        await requireLiveOption(client, activeProfile, options, output)
      return client
    },
  }
}

export function clientOf({ token, base_url }: Pick<NamedProfile, 'token' | 'base_url'>): Switchyard {
  return new Switchyard({ token, ...(base_url === null ? {} : { baseUrl: base_url }) })
}

/** Aborts on the first interrupt or termination signal. A second one ends the process immediately. */
export function interruptSignal(): AbortSignal {
  const controller = new AbortController()
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
    process.once(signal, () => controller.abort(new Interrupted()))
  return controller.signal
}

async function requireLiveOption(
  client: Switchyard,
  { name }: NamedProfile,
  { live }: CommonOptions,
  output: Output,
): Promise<void> {
  if (live !== true)
    throw new CliError(
      'notAllowed',
      `Profile "${name}" is live: it works with real customers and real money.`,
      'Add --live to continue, or choose a test profile with --profile.',
    )
  const workspace = await client.workspace.get()
  output.warn(styled(['bold', 'red'], `LIVE  ${workspace.name}  ${workspace.id}`))
}
