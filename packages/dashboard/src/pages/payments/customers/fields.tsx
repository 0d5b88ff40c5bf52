/** The fields of the customer form. */
import { TextField } from '../../../ui/fields.tsx'
import type { CustomerDraft } from './draft.ts'

type Name = keyof CustomerDraft

const labels: { readonly [N in Name]: string } = {
  name: 'Name',
  email: 'Email',
  phone: 'Phone',
  description: 'Description',
  locale: 'Language',
  line1: 'Street and number',
  line2: 'Flat, floor, company',
  city: 'City',
  state: 'State or region',
  postal_code: 'Postal code',
  country: 'Country',
}
const hints: { readonly [N in Name]?: string } = {
  phone: 'International format: +44 20 …',
  description: 'Internal note.',
  locale: 'For example en or de-CH.',
  country: 'Two-letter code, for example GB.',
}
const identity: readonly Name[] = ['name', 'email', 'phone', 'locale']
const address: readonly Name[] = ['line1', 'line2', 'city', 'state', 'postal_code', 'country']

export function CustomerFields(props: { draft: CustomerDraft; change: (draft: CustomerDraft) => void }) {
  const { draft, change } = props
  const field = (name: Name, pointer: string) => (
    <TextField
      key={name}
      label={labels[name]}
      hint={hints[name]}
      pointer={pointer}
      type={name === 'email' ? 'email' : 'text'}
      value={draft[name]}
      onChange={(value) => change({ ...draft, [name]: value })}
    />
  )
  return (
    <>
      <div className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        {identity.map((name) => field(name, `/${name}`))}
      </div>
      {field('description', '/description')}
      <fieldset className="grid gap-x-4 gap-y-2 sm:grid-cols-2">
        <legend className="mb-2 font-bold text-ink2">Address</legend>
        {address.map((name) => field(name, `/address/${name}`))}
      </fieldset>
    </>
  )
}
