/** How long a check may take, from its turn: waiting for the one connection that the checks share is not counted. */
import type { Owner } from '../platform/db/owner.ts'

type Limited = { readonly owner: Owner; readonly over: Promise<void>; stop(): void }

export function limitFrom(owner: Owner, limitMs: number): Limited {
  const { promise: over, resolve } = Promise.withResolvers<void>()
  let timer = setTimeout(resolve, limitMs)
  const ask: Owner['ask'] = (body) => {
    clearTimeout(timer)
    return owner.ask((client) => {
      timer = setTimeout(resolve, limitMs)
      return body(client)
    })
  }
  return { owner: { ...owner, ask }, over, stop: () => clearTimeout(timer) }
}
