import type { PaymentMethod } from '@switchyard/sdk'
import { expiryText, methodText } from '../../../format/card.ts'
import { sentenceCase } from '../../../format/text.ts'
import { ObjectLink } from '../../../shell/object-link.tsx'
import { Status } from '../../../ui/status.tsx'
import type { Column } from '../../../ui/table.tsx'
import { Time } from '../../../ui/values.tsx'

export const methodColumns: readonly Column<PaymentMethod>[] = [
  {
    title: 'Method',
    phone: true,
    cell: (method) => <ObjectLink id={method.id}>{methodText(method)}</ObjectLink>,
  },
  { title: 'Status', width: '130px', phone: true, cell: ({ status }) => <Status status={status} /> },
  { title: 'Expires', width: '100px', cell: ({ card }) => card && expiryText(card) },
  { title: 'Usage', width: '120px', cell: ({ usage }) => sentenceCase(usage) },
]

export const customerColumn: Column<PaymentMethod> = {
  title: 'Customer',
  cell: ({ customer_id }) => <ObjectLink id={customer_id} />,
}

export const createdColumn: Column<PaymentMethod> = {
  title: 'Created',
  align: 'right',
  width: '130px',
  cell: ({ created_at }) => <Time at={created_at} />,
}
