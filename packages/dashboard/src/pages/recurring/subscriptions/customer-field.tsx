/** A customer: one of the newest, or by e-mail address. */
import { useState } from 'react'
import { useObject } from '../../../api/queries.ts'
import { SelectField, TextField } from '../../../ui/fields.tsx'
import { useQuiet } from '../../../ui/quiet.ts'
import { nameOfCustomer } from '../names.tsx'

const newest = 50

export function CustomerField(props: { value: string; onChange: (id: string) => void; pointer: string }) {
  const [email, setEmail] = useState('')
  const asked = useQuiet(email.trim())
  const { data = [] } = useObject(['customer', 'options', asked], (api) =>
    api.customers.list(asked.includes('@') ? { email: asked } : {}).all({ max: newest }),
  )
  return (
    <div className="grid gap-3 sm:grid-cols-2">
      <SelectField
        label="Customer"
        value={props.value}
        onChange={props.onChange}
        options={[
          { value: '', text: 'Choose a customer' },
          ...data.map((customer) => ({
            value: customer.id,
            text: `${nameOfCustomer(customer)}${customer.test_clock_id === null ? '' : ' (test clock)'}`,
          })),
        ]}
        pointer={props.pointer}
      />
      <TextField
        label="Find by e-mail address"
        type="email"
        value={email}
        onChange={setEmail}
        hint={`Without it, the newest ${newest}.`}
      />
    </div>
  )
}
