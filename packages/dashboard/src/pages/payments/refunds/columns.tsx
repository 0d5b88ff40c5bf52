import type { Refund } from '@switchyard/sdk'
import { sentenceCase } from '../../../format/text.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Status } from '../../../ui/status.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Money, Time } from '../../../ui/values.tsx'
import { displayedRefundStatus } from './state.ts'

export const refundColumns: readonly Column<Refund>[] = [
  {
    title: 'Amount',
    align: 'right',
    width: '132px',
    phone: true,
    cell: ({ id, amount, currency }) => (
      <ObjectLink id={id}>
        <Money amount={amount} currency={currency} showCode />
      </ObjectLink>
    ),
  },
  {
    title: 'Status',
    width: '150px',
    phone: true,
    cell: (refund) => <Status status={displayedRefundStatus(refund)} />,
  },
  { title: 'Payment', cell: ({ payment_id }) => <ObjectLink id={payment_id} /> },
  { title: 'Reason', cell: ({ reason }) => sentenceCase(reason) },
  {
    title: 'Failure reason',
    cell: ({ failure }) => <span className="font-mono text-compact text-ink2">{failure?.code}</span>,
  },
  {
    title: 'Created',
    align: 'right',
    width: '130px',
    phone: true,
    cell: ({ created_at }) => <Time at={created_at} />,
  },
]
