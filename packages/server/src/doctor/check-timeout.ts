/** The time limit of a check. Waiting for the one connection that the checks share is not counted. */
import type { Owner } from '../platform/db/owner.ts'

type CheckTimeout = { readonly owner: Owner; readonly expired: Promise<void>; stop(): void }

export function startTimeout(owner: Owner, limitMs: number): CheckTimeout {
  const { promise: expired, resolve } = Promise.withResolvers<void>()
  let timer = setTimeout(resolve, limitMs)
  const withClient: Owner['withClient'] = (body) => {
    clearTimeout(timer)
    return owner.withClient((client) => {
      timer = setTimeout(resolve, limitMs)
      return body(client)
    })
  }
  return { owner: { ...owner, withClient }, expired, stop: () => clearTimeout(timer) }
}
