import type { Deps } from '../../../deps.ts'
import type { Checkup } from '../../../kernel/checkup.ts'

/** Runs the same checks as the `doctor` command. */
export function getSystem(deps: Deps): Promise<Checkup> {
  return deps.runCheckup()
}
