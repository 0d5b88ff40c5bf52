import { addSeconds } from './clock.ts'

const keptDays = 180

/** When the text fields and files of a dispute that has ended are deleted. */
export function evidenceDeletionTime(endedAt: Date): Date {
  return addSeconds(endedAt, keptDays * 86_400)
}
