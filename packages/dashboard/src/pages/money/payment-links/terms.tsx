/** The terms of a link: what it is for, how often and until when it can be paid, and what comes after. */
import { words } from '../../../format/words.ts'
import { CheckField, TextField } from '../../../ui/fields.tsx'
import { collectable, type TermsDraft } from './draft.ts'

export function TermsFields<Draft extends TermsDraft>(props: {
  draft: Draft
  change: (draft: Draft) => void
}) {
  const { draft, change } = props
  const set = (next: Partial<TermsDraft>) => change({ ...draft, ...next })
  return (
    <>
      <TextField
        label="Description"
        hint="What it is for. The payer sees it."
        pointer="/description"
        value={draft.description}
        onChange={(description) => set({ description })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="How many may pay"
          type="number"
          hint="Empty: as many as want to."
          pointer="/max_completions"
          value={draft.uses}
          onChange={(uses) => set({ uses })}
        />
        <TextField
          label="Last day"
          type="date"
          hint="Empty: 30 days from now."
          pointer="/expires_at"
          value={draft.expires}
          onChange={(expires) => set({ expires })}
        />
      </div>
      <fieldset className="grid gap-2">
        <legend className="mb-1 font-bold">Ask the payer for</legend>
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          {collectable.map((name) => (
            <CheckField
              key={name}
              label={words(name)}
              checked={draft.collect.includes(name)}
              onChange={(isOn) =>
                set({
                  collect: collectable.filter((one) => (one === name ? isOn : draft.collect.includes(one))),
                })
              }
            />
          ))}
        </div>
      </fieldset>
      <TextField
        label="Message after paying"
        hint="A sentence on our page."
        pointer="/after_completion/message"
        value={draft.message}
        onChange={(message) => set({ message })}
      />
      <TextField
        label="Or go on to"
        type="url"
        hint="An address of yours, instead of our page."
        placeholder="https://"
        pointer="/after_completion/url"
        value={draft.redirect}
        onChange={(redirect) => set({ redirect })}
      />
    </>
  )
}
