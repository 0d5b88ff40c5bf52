/** A rule as a sentence: conditions are outlined chips, accounts are filled chips. */
import type { Part } from './condition-text.ts'

const chipClasses = {
  condition: 'rounded-control border border-edge px-1.5 py-px',
  account: 'rounded-control bg-ink px-1.5 py-px font-bold text-surface',
} as const

/** `mark` renders an icon before a part, such as a tick. */
export function RuleSentence(props: { parts: readonly Part[]; mark?: (part: Part) => React.ReactNode }) {
  return (
    <p className="flex flex-wrap items-center gap-x-1.5 gap-y-1">
      {props.parts.map((part, index) => (
        <span
          // biome-ignore lint/suspicious/noArrayIndexKey: the parts of a sentence have no id.
          key={index}
          className={`${part.chip === undefined ? '' : chipClasses[part.chip]} inline-flex items-center gap-1 break-words`}
        >
          {props.mark?.(part)}
          {part.text}
        </span>
      ))}
    </p>
  )
}
