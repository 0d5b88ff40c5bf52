/** Lists the providers of this installation. They are part of the code, so nothing is read from the database. */
import type { Deps } from '../../../deps.ts'
import type { Caller } from '../../../kernel/caller.ts'

export async function listProviders({ providers }: Deps, { mode }: Caller) {
  return { mode, providers: [...providers.values()] }
}
