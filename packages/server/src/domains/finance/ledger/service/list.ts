import type { Deps } from '../../../../deps.ts'
import type { Caller } from '../../../../kernel/caller.ts'
import { uuidOfAny } from '../../../../kernel/filters.ts'
import type { IdRange } from '../../../../platform/db/keyset.ts'
import { read } from '../../../../platform/db/unit-of-work.ts'
import { listPostings as findPostings } from '../store/postings.ts'

export function listPostings(
  deps: Deps,
  caller: Caller,
  range: IdRange,
  { object_id }: { readonly object_id?: string | undefined },
) {
  const objectUuid = uuidOfAny(caller.mode, object_id)
  return read(deps, caller, (view) => findPostings(view, range, objectUuid))
}
