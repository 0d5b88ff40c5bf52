import type { Dispute } from '@switchyard/sdk'
import { sentenceCase } from '../../../format/text.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Chip, Status } from '../../../ui/status.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Money, Time } from '../../../ui/values.tsx'
import { timeLeft } from './state.ts'

export const disputeColumns: readonly Column<Dispute>[] = [
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
  { title: 'Status', width: '164px', phone: true, cell: (dispute) => <DisputeStatus dispute={dispute} /> },
  { title: 'Respond by', width: '118px', phone: true, cell: (dispute) => <Deadline dispute={dispute} /> },
  { title: 'Payment', cell: ({ payment_id }) => <ObjectLink id={payment_id} /> },
  { title: 'Stage', cell: ({ stage }) => sentenceCase(stage) },
  { title: 'Reason', cell: ({ reason }) => sentenceCase(reason) },
  { title: 'Created', align: 'right', width: '130px', cell: ({ created_at }) => <Time at={created_at} /> },
]

export function DisputeStatus({ dispute }: { dispute: Dispute }) {
  return (
    <span className="inline-flex flex-wrap items-center gap-1.5">
      <Status status={dispute.status} />
      {dispute.overdue && <Chip tone="danger" text="Overdue" />}
    </span>
  )
}

export function Deadline({ dispute }: { dispute: Dispute }) {
  const left = timeLeft(dispute)
  if (left === null) return <span className="text-ink3">–</span>
  return (
    <>
      <Time at={dispute.respond_by_at} />
      <span className="block text-compact text-ink2">{left}</span>
    </>
  )
}
