import { AmountField, TextField } from '../../../ui/fields.tsx'
import type { LineForm } from './invoice-draft.ts'

/** The fields of one line of a one-off invoice. */
export function LineFields(props: {
  line: LineForm
  currency: string
  /** The JSON pointer of the line in the request. */
  pointer: string
  set: (members: Partial<LineForm>) => void
}) {
  const { line, currency, pointer, set } = props
  return (
    <div className="grid gap-3 sm:grid-cols-[1fr_90px_150px]">
      <TextField
        label="Description"
        value={line.description}
        onChange={(description) => set({ description })}
        pointer={`${pointer}/description`}
      />
      <TextField
        label="Quantity"
        type="number"
        value={line.quantity}
        onChange={(quantity) => set({ quantity })}
        pointer={`${pointer}/quantity`}
      />
      <AmountField
        label="Unit amount"
        currency={currency}
        value={line.unitAmount}
        onChange={(unitAmount) => set({ unitAmount })}
        pointer={`${pointer}/unit_amount`}
      />
    </div>
  )
}
