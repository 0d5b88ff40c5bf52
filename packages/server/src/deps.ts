/** What verbs need of the outside world. Built once, in compose.ts; handed down by hand. */
import type { Authority } from './kernel/caller.ts'
import type { Kind } from './kernel/id.ts'
import type { UnitDeps } from './platform/db/unit-of-work.ts'
import type { Work as WorkOf } from './platform/engine/work.ts'
import type { Versions } from './platform/http/versions.ts'

export type Deps = UnitDeps & {
  readonly versions: Versions
  readonly allowedOperations: (authority: Authority) => readonly string[]
}

export type Work<K extends Kind = Kind> = WorkOf<Deps, K>
