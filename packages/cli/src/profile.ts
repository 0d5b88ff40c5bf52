/**
 * Whose token a command uses. A profile is an address with a token, kept under a name in a file that only its
 * owner can read. In CI two variables do instead: SWITCHYARD_TOKEN and SWITCHYARD_BASE_URL.
 */
import { join } from 'node:path'
import { configFolder, type Environment, environment } from './environment.ts'
import { CliError } from './exit.ts'
import { readPrivate, writePrivate } from './private-file.ts'

export type Profile = {
  readonly token: string
  /** Null: this machine, at the port that the mode of the token is served on. */
  readonly base_url: string | null
  readonly dashboard_url: string | null
}

export type NamedProfile = Profile & { readonly name: string }

type Profiles = { readonly current: string; readonly profiles: Readonly<Record<string, Profile>> }

const none: Profiles = { current: 'default', profiles: {} }
/** What a profile from the variables is called. */
const fromVariables = '(environment)'

export function configFile(env: Environment = environment): string {
  return join(configFolder(env), 'config.json')
}

export function readProfiles(env: Environment = environment): Profiles {
  return readPrivate<Profiles>(configFile(env)) ?? none
}

export function saveProfile({ name, ...profile }: NamedProfile): void {
  const { profiles } = readProfiles()
  writePrivate(configFile(), { current: name, profiles: { ...profiles, [name]: profile } })
}

/** False if there was none of that name. */
export function removeProfile(name: string): boolean {
  const { current, profiles } = readProfiles()
  const { [name]: removed, ...rest } = profiles
  if (removed === undefined) return false
  writePrivate(configFile(), {
    current: current === name ? (Object.keys(rest)[0] ?? 'default') : current,
    profiles: rest,
  })
  return true
}

export function switchTo(name: string): void {
  const { profiles } = readProfiles()
  requireKnown(profiles, name)
  writePrivate(configFile(), { current: name, profiles })
}

/** The one that is named, else that of the variables, else the one that was used last. */
export function requireProfile(named: string | undefined, env: Environment = environment): NamedProfile {
  const dashboard_url = env.SWITCHYARD_DASHBOARD_URL ?? null
  if (named === undefined && env.SWITCHYARD_TOKEN) {
    const base_url = env.SWITCHYARD_BASE_URL ?? null
    return { name: fromVariables, token: env.SWITCHYARD_TOKEN, base_url, dashboard_url }
  }
  const { current, profiles } = readProfiles(env)
  const name = named ?? env.SWITCHYARD_PROFILE ?? current
  const known = requireKnown(profiles, name)
  return { name, ...known, dashboard_url: dashboard_url ?? known.dashboard_url }
}

export function modeOf(token: string): 'live' | 'test' {
  return /^[sp]k_live_/.test(token) ? 'live' : 'test'
}

function requireKnown(profiles: Profiles['profiles'], name: string): Profile {
  const known = profiles[name]
  if (known !== undefined) return known
  const names = Object.keys(profiles)
  if (names.length === 0)
    throw new CliError('notAllowed', 'Not signed in.', 'Run `switchyard login`, or set SWITCHYARD_TOKEN.')
  throw new CliError(
    'notAllowed',
    `There is no profile "${name}".`,
    `There is: ${names.join(', ')}. Make it with: switchyard login --profile ${name}`,
  )
}
