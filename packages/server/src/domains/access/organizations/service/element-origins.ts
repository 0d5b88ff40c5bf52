/** The origins of the pages that may embed the payment element. */
import type { Deps } from '../../../../deps.ts'
import { systemCaller } from '../../../../kernel/caller.ts'
import { refuseMember, refuseMembers } from '../../../../kernel/errors.ts'
import type { Id } from '../../../../kernel/id.ts'
import type { Cache } from '../../../../platform/cache.ts'
import { read, type Tx } from '../../../../platform/db/unit-of-work.ts'
import { recordAuditEntry } from '../../audit/service.ts'
import { findOriginFault, isAllowedUrl } from '../element-origins.ts'
import { readWorkspace, updateElementOrigins } from '../store.ts'
import type { Workspace } from '../workspace.ts'

declare module '../../../../deps.ts' {
  interface Caches {
    /** The allowed origins of each workspace. Used only by `findElementOrigins`. */
    readonly elementOrigins: Cache<readonly string[]>
  }
}

/** Cached in every process for a few seconds. */
export function findElementOrigins(deps: Deps, workspaceId: Id<'workspace'>): Promise<readonly string[]> {
  return deps.elementOrigins.get(workspaceId, async () => {
    const caller = systemCaller({ workspaceId, id: workspaceId })
    return (await read(deps, caller, readWorkspace)).elementOrigins
  })
}

/** Refuses URLs of pages that may not embed the payment element, so that a payer cannot be sent elsewhere. */
export async function requireAllowedReturnUrl(
  deps: Deps,
  workspaceId: Id<'workspace'>,
  url: string,
): Promise<void> {
  if (isAllowedUrl(await findElementOrigins(deps, workspaceId), url)) return
  refuseMember('/return_url', 'not_in_list', 'must be a URL of an origin in elements.allowed_origins')
}

/** Returns the workspace before the change if nothing changes. `input` is undefined if it was omitted. */
export async function changeElementOrigins(
  tx: Tx,
  before: Workspace,
  input: readonly string[] | undefined,
): Promise<Workspace> {
  if (input === undefined) return before
  const faults = input.flatMap((text, index) => {
    const detail = findOriginFault(text)
    return detail === null
      ? []
      : [{ pointer: `/elements/allowed_origins/${index}`, code: 'bad_format' as const, detail }]
  })
  if (faults.length > 0) refuseMembers(faults)
  const origins = [...new Set(input)]
  if (origins.join() === before.elementOrigins.join()) return before

  const after = await updateElementOrigins(tx, before, origins)
  const details = {
    allowed_origins: after.elementOrigins.join(' '),
    previous_allowed_origins: before.elementOrigins.join(' '),
  }
  await recordAuditEntry(tx, 'workspace.elements_changed', { objectId: after.id, details })
  return after
}
