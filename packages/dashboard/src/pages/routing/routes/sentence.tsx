/** A rule as a sentence: conditions in frames, accounts filled. */
import type { Part } from './condition-words.ts'

const looks = {
  condition: 'rounded-control border border-edge px-1.5 py-px',
  account: 'rounded-control bg-ink px-1.5 py-px font-bold text-surface',
} as const

/** `mark` may put something before a chip, such as a tick. */
export function RuleSentence(props: { parts: readonly Part[]; mark?: (part: Part) => React.ReactNode }) {
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 gap-y-1">
      {props.parts.map((part, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no other name.
          key={index}
          className={`${part.chip === undefined ? '' : looks[part.chip]} inline-flex items-center gap-1 break-words`}
        >
          {props.mark?.(part)}
          {part.text}
        </span>
      ))}
    </p>
  )
}
