/**
 * Profiles: a base URL and a token, saved under a name in a file that only its owner can read. In CI, set
 * SWITCHYARD_TOKEN and SWITCHYARD_BASE_URL instead.
 */
import { join } from 'node:path'
import { configFolder, type Environment, environment } from './environment.ts'
import { CliError } from './exit.ts'
import { readPrivate, writePrivate } from './private-file.ts'

export type Profile = {
  readonly token: string
  /** Null means localhost, at the default port for the mode of the token. */
  readonly base_url: string | null
  readonly dashboard_url: string | null
}

export type NamedProfile = Profile & { readonly name: string }

type Profiles = { readonly current: string; readonly profiles: Readonly<Record<string, Profile>> }

const noProfiles: Profiles = { current: 'default', profiles: {} }
/** The name of the profile that comes from environment variables. */
const environmentProfileName = '(environment)'

export function configFile(env: Environment = environment): string {
  return join(configFolder(env), 'config.json')
}

export function readProfiles(env: Environment = environment): Profiles {
  return readPrivate<Profiles>(configFile(env)) ?? noProfiles
}

export function saveProfile({ name, ...profile }: NamedProfile): void {
  const { profiles } = readProfiles()
  writePrivate(configFile(), { current: name, profiles: { ...profiles, [name]: profile } })
}

/** False if there is no such profile. */
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

export function switchProfileTo(name: string): void {
  const { profiles } = readProfiles()
  requireSavedProfile(profiles, name)
  writePrivate(configFile(), { current: name, profiles })
}

/** The profile named by `--profile`, else SWITCHYARD_TOKEN, else SWITCHYARD_PROFILE, else the current profile. */
export function requireProfile(
  requestedName: string | undefined,
  env: Environment = environment,
): NamedProfile {
  const dashboard_url = env.SWITCHYARD_DASHBOARD_URL ?? null
  if (requestedName === undefined && env.SWITCHYARD_TOKEN) {
    const base_url = env.SWITCHYARD_BASE_URL ?? null
    return { name: environmentProfileName, token: env.SWITCHYARD_TOKEN, base_url, dashboard_url }
  }
  const { current, profiles } = readProfiles(env)
  const name = requestedName ?? env.SWITCHYARD_PROFILE ?? current
  const profile = requireSavedProfile(profiles, name)
  return { name, ...profile, dashboard_url: dashboard_url ?? profile.dashboard_url }
}

export function modeOfToken(token: string): 'live' | 'test' {
  return /^[sp]k_live_/.test(token) ? 'live' : 'test'
}

function requireSavedProfile(profiles: Profiles['profiles'], name: string): Profile {
  const profile = profiles[name]
  if (profile !== undefined) return profile
  const names = Object.keys(profiles)
  if (names.length === 0)
    throw new CliError('notAllowed', 'Not signed in.', 'Run `switchyard login`, or set SWITCHYARD_TOKEN.')
  throw new CliError(
    'notAllowed',
    `There is no profile "${name}".`,
    `Existing profiles: ${names.join(', ')}. Create it with: switchyard login --profile ${name}`,
  )
}
