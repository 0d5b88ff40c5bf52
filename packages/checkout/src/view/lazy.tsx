import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

/** Loads a component that most pages do not show, and renders nothing until it is loaded. */
export function Lazy<Props extends object>({
  load,
  props,
  onFailure = () => {},
}: {
  load: () => Promise<ComponentType<Props>>
  props: Props
  onFailure?: () => void
}) {
  const [Component, setComponent] = useState<ComponentType<Props> | null>(null)
  useEffect(() => {
    load().then((loaded) => setComponent(() => loaded), onFailure)
  }, [])
  return Component === null ? null : <Component {...props} />
}
