import { ShownOnce } from '../../../ui/shown-once.tsx'

export function AccountSecret({ secret, close }: { secret: string; close: () => void }) {
  return (
    <ShownOnce
      title="Account secret"
      intro="Both sides sign with the full secret, including psec_. It is shown only once: store it where your provider can read it."
      text={secret}
      copy="Copy secret"
      onClose={close}
    />
  )
}
