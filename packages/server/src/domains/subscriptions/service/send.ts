/** Money that goes back leaves when everything is committed. If this process dies, the resolver goes on. */
import type { Deps } from '../../../deps.ts'
import { monotonicMs } from '../../../kernel/clock.ts'
import { follow } from '../../payments/service/follow.ts'
import type { Sending } from './carry-out.ts'

export function send(deps: Deps, { ref, progress }: Sending): Promise<void> {
  return follow(deps, ref, progress, monotonicMs())
}
