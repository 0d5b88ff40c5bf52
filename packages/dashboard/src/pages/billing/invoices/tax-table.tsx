/** The tax of an invoice: one row per rate, with the note that is printed if no tax is charged. */
import type { Invoice } from '@switchyard/sdk'
import { type Column, PlainTable } from '../../../ui/table.tsx'
import { Money } from '../../../ui/values.tsx'
import { groupText } from '../../finance/tax/tax-text.ts'

type TaxGroup = Invoice['tax_breakdown'][number]

export function TaxTable({ invoice }: { invoice: Invoice }) {
  if (invoice.tax_breakdown.length === 0) return null
  return (
    <div className="border-t border-line">
      <PlainTable
        label="Tax"
        columns={columnsOf(invoice.currency)}
        rows={invoice.tax_breakdown}
        keyOf={({ percentage, category, inclusive }) => `${percentage} ${category} ${inclusive}`}
      />
    </div>
  )
}

const columnsOf = (currency: string): readonly Column<TaxGroup>[] => [
  {
    title: 'Tax rate',
    phone: true,
    cell: (group) => (
      <>
        {groupText(group)}
        {group.note !== null && group.note !== groupText(group) && (
          <span className="block text-compact text-ink2">{group.note}</span>
        )}
      </>
    ),
  },
  {
    title: 'Taxable amount',
    align: 'right',
    width: '160px',
    phone: true,
    cell: ({ net }) => <Money amount={net} currency={currency} />,
  },
  {
    title: 'Tax',
    align: 'right',
    width: '130px',
    phone: true,
    cell: ({ tax }) => <Money amount={tax} currency={currency} />,
  },
]
