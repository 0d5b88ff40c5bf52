/** All that is read of the world around a command: variables, folders, terminals. */
import { homedir } from 'node:os'
import { join } from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

export const environment: Environment = process.env

/** Where settings are kept. */
export function configFolder(env: Environment = environment): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'switchyard')
}

/** Where is kept how far a command has come. */
export function stateFolder(env: Environment = environment): string {
  return join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'switchyard')
}

/** Somebody looks at it: not a pipe, and not the log of a build. */
export function isTerminal(stream: { readonly isTTY?: boolean }, env: Environment = environment): boolean {
  return stream.isTTY === true && !env.CI && env.TERM !== 'dumb'
}

export function usesColour(env: Environment = environment): boolean {
  return isTerminal(process.stdout, env) && !env.NO_COLOR
}
