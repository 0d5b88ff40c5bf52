/** The environment of a command: variables, folders and terminals. */
import { homedir } from 'node:os'
import { join } from 'node:path'

export type Environment = Readonly<Record<string, string | undefined>>

export const environment: Environment = process.env

/** The folder for settings. */
export function configFolder(env: Environment = environment): string {
  return join(env.XDG_CONFIG_HOME || join(homedir(), '.config'), 'switchyard')
}

/** The folder for the saved progress of commands. */
export function stateFolder(env: Environment = environment): string {
  return join(env.XDG_STATE_HOME || join(homedir(), '.local', 'state'), 'switchyard')
}

/** Whether the stream is an interactive terminal, and not a pipe or a CI log. */
export function isTerminal(stream: { readonly isTTY?: boolean }, env: Environment = environment): boolean {
  return stream.isTTY === true && !env.CI && env.TERM !== 'dumb'
}

export function usesColour(env: Environment = environment): boolean {
  return isTerminal(process.stdout, env) && !env.NO_COLOR
}
