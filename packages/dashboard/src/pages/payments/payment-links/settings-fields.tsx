/** The settings of a link: description, payment limit, expiry, collected fields and confirmation. */
import { sentenceCase } from '../../../format/text.ts'
import { CheckField, TextField } from '../../../ui/fields.tsx'
import { collectableFields, type SettingsDraft } from './draft.ts'

export function SettingsFields<Draft extends SettingsDraft>(props: {
  draft: Draft
  change: (draft: Draft) => void
}) {
  const { draft, change } = props
  const set = (next: Partial<SettingsDraft>) => change({ ...draft, ...next })
  return (
    <>
      <TextField
        label="Description"
        hint="Shown to the customer."
        pointer="/description"
        value={draft.description}
        onChange={(description) => set({ description })}
      />
      <div className="grid gap-4 sm:grid-cols-2">
        <TextField
          label="Payment limit"
          type="number"
          hint="Leave empty for no limit."
          pointer="/max_completions"
          value={draft.maxPayments}
          onChange={(maxPayments) => set({ maxPayments })}
        />
        <TextField
          label="Expires on"
          type="date"
          hint="Leave empty for 30 days from now."
          pointer="/expires_at"
          value={draft.expires}
          onChange={(expires) => set({ expires })}
        />
      </div>
      <fieldset className="grid gap-2">
        <legend className="mb-1 font-bold">Collect from the customer</legend>
        <div className="flex flex-wrap gap-x-6 gap-y-2">
          {collectableFields.map((name) => (
            <CheckField
              key={name}
              label={sentenceCase(name)}
              checked={draft.collect.includes(name)}
              onChange={(isOn) =>
                set({
                  collect: collectableFields.filter((one) =>
                    one === name ? isOn : draft.collect.includes(one),
                  ),
                })
              }
            />
          ))}
        </div>
      </fieldset>
      <TextField
        label="Message after payment"
        hint="Shown on the hosted confirmation page."
        pointer="/after_completion/message"
        value={draft.message}
        onChange={(message) => set({ message })}
      />
      <TextField
        label="Redirect to"
        type="url"
        hint="Your own page, instead of the hosted confirmation page."
        placeholder="https://"
        pointer="/after_completion/url"
        value={draft.redirect}
        onChange={(redirect) => set({ redirect })}
      />
    </>
  )
}
