/** The fields for the terms of a new price: scheme, amount, tiers, package and limits. */
import { X } from 'lucide-react'
import { Button, IconButton } from '../../../ui/button.tsx'
import { AmountField, SelectField, TextField } from '../../../ui/fields.tsx'
import { emptyTier, hasTiers, type PriceDraft, type TierDraft } from './price-draft.ts'

type Props = {
  readonly draft: PriceDraft
  readonly currency: string
  readonly set: (changes: Partial<PriceDraft>) => void
}

export function SchemeField({ draft, set }: Omit<Props, 'currency'>) {
  return (
    <SelectField
      label="Pricing"
      value={draft.scheme}
      onChange={(scheme) => set({ scheme: scheme as PriceDraft['scheme'] })}
      options={[
        { value: 'per_unit', text: 'Per unit' },
        { value: 'graduated', text: 'Graduated tiers' },
        { value: 'volume', text: 'Volume tiers' },
        { value: 'package', text: 'Packages' },
      ]}
      hint={hints[draft.scheme]}
      pointer="/scheme"
    />
  )
}

const hints: { readonly [S in PriceDraft['scheme']]: string } = {
  per_unit: 'Unit amount times quantity.',
  graduated: 'Each unit is charged at the price of its own tier.',
  volume: 'All units are charged at the price of the highest tier that the quantity reaches.',
  package: 'Amount per package times the number of packages.',
}

export function PriceTerms({ draft, currency, set }: Props) {
  return (
    <>
      {hasTiers(draft) && <Tiers draft={draft} currency={currency} set={set} />}
      {draft.scheme === 'package' && (
        <div className="grid gap-3 sm:grid-cols-2">
          <TextField
            label="Units per package"
            type="number"
            value={draft.packageSize}
            onChange={(packageSize) => set({ packageSize })}
            pointer="/package/size"
          />
          <SelectField
            label="Partly used packages"
            value={draft.packageRound}
            onChange={(round) => set({ packageRound: round as PriceDraft['packageRound'] })}
            options={[
              { value: 'up', text: 'Charge in full' },
              { value: 'down', text: 'Do not charge' },
            ]}
          />
        </div>
      )}
      <div className="grid gap-3 sm:grid-cols-2">
        <AmountField
          label="Minimum amount"
          currency={currency}
          value={draft.minimum}
          onChange={(minimum) => set({ minimum })}
          hint="Optional. For a full period and any quantity."
          pointer="/minimum_amount"
        />
        <AmountField
          label="Maximum amount"
          currency={currency}
          value={draft.maximum}
          onChange={(maximum) => set({ maximum })}
          hint="Optional."
          pointer="/maximum_amount"
        />
      </div>
    </>
  )
}

function Tiers({ draft: { tiers }, currency, set }: Props) {
  const change = (position: number, next: Partial<TierDraft>) =>
    set({ tiers: tiers.map((tier, index) => (index === position ? { ...tier, ...next } : tier)) })
  return (
    <fieldset className="grid gap-3">
      <legend className="mb-1 font-bold">Tiers</legend>
      {tiers.map((tier, position) => (
        <div
          // biome-ignore lint/suspicious/noArrayIndexKey: tiers have no id.
          key={position}
          className="grid items-start gap-2 sm:grid-cols-[100px_minmax(0,1fr)_minmax(0,1fr)_auto]"
        >
          <LastUnit
            value={position === tiers.length - 1 ? null : tier.upTo}
            position={position}
            onChange={(upTo) => change(position, { upTo })}
          />
          <AmountField
            label="Amount per unit"
            currency={currency}
            value={tier.unit}
            onChange={(unit) => change(position, { unit })}
            pointer={`/tiers/${position}/unit_amount_decimal`}
          />
          <AmountField
            label="Flat amount"
            currency={currency}
            value={tier.flat}
            onChange={(flat) => change(position, { flat })}
            pointer={`/tiers/${position}/flat_amount`}
          />
          {tiers.length > 1 && (
            <IconButton
              label={`Remove tier ${position + 1}`}
              variant="quiet"
              className="sm:mt-6"
              onClick={() => set({ tiers: tiers.filter((_, index) => index !== position) })}
            >
              <X size={16} aria-hidden />
            </IconButton>
          )}
        </div>
      ))}
      <div>
        <Button compact onClick={() => set({ tiers: [...tiers, emptyTier] })}>
          Add tier
        </Button>
      </div>
    </fieldset>
  )
}

/** The last tier has no end. */
function LastUnit(props: { value: string | null; position: number; onChange: (value: string) => void }) {
  const { value, position, onChange } = props
  if (value === null)
    return (
      <div className="grid content-start gap-1">
        <span className="font-bold">Up to</span>
        <span className="flex min-h-8 items-center text-ink2">No limit</span>
      </div>
    )
  return (
    <TextField
      label="Up to"
      type="number"
      value={value}
      onChange={onChange}
      pointer={`/tiers/${position}/up_to`}
    />
  )
}
