import { ShownOnce } from '../../../ui/shown-once.tsx'

export function SecretOnce({ secret, close }: { secret: string; close: () => void }) {
  return (
    <ShownOnce
      title="The secret of this account"
      intro="Both sides sign with it, all of it, psec_ included. It is shown this once: keep it where your provider finds it."
      text={secret}
      copy="Copy secret"
      onClose={close}
    />
  )
}
