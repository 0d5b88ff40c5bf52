import type { Deps } from '../../deps.ts'
import type { Checkup } from '../../kernel/checkup.ts'

/** The same look as that of the command `doctor`. */
export function getSystem(deps: Deps): Promise<Checkup> {
  return deps.examine()
}
