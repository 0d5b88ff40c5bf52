/** What verbs need of the outside world. Built once, in compose.ts; handed down by hand. */
import type { Authority } from './kernel/caller.ts'
import type { Kind, Ref } from './kernel/id.ts'
import type { UnitDeps } from './platform/db/unit-of-work.ts'
import type { Announcements } from './platform/engine/announce.ts'
import type { Work as WorkOf } from './platform/engine/work.ts'
import type { Versions } from './platform/http/versions.ts'
import type { Outbound } from './platform/outbound/outbound.ts'
import type { SealedBox } from './platform/sealed-box.ts'

export type Deps = UnitDeps & {
  readonly versions: Versions
  readonly allowedOperations: (authority: Authority) => readonly string[]
  readonly sealedBox: SealedBox
  readonly outbound: Outbound
  readonly courier: Courier
  readonly announcements: Pick<Announcements, 'listen'>
}

/** Serves webhook endpoints from this process. It has a memory, so there is one of it. */
export type Courier = {
  /** Sends what is due to an endpoint until nothing is, unless another process does. */
  serve(endpoint: Ref<'webhook_endpoint'>): Promise<void>
  /** One attempt, now and whatever state the endpoint is in. The delivery is settled by it. */
  tryOnce(delivery: Ref<'delivery'>): Promise<void>
}

export type Work<K extends Kind = Kind> = WorkOf<Deps, K>
