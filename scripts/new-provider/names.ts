// The names of a new connector, derived from its folder name.

export type ProviderNames = {
  /** The folder, such as `checkout-com`. */
  readonly folder: string
  /** The id of the provider, such as `checkout_com`. */
  readonly id: string
  /** The exported constant, such as `checkoutCom`. */
  readonly variable: string
  /** The name that people see, such as `Checkout.com`. */
  readonly name: string
}

/** Names that JavaScript reserves, and the ids of the providers that are not connectors. */
// biome-ignore format: a list.
const reserved: readonly string[] = [
  'break', 'case', 'catch', 'class', 'const', 'continue', 'debugger', 'default', 'delete', 'do', 'else', 'enum',
  'export', 'extends', 'false', 'finally', 'for', 'function', 'if', 'implements', 'import', 'in', 'instanceof',
  'interface', 'let', 'new', 'null', 'package', 'private', 'protected', 'public', 'return', 'static', 'super', 'switch',
  'this', 'throw', 'true', 'try', 'typeof', 'var', 'void', 'while', 'with', 'yield', 'await', 'eval', 'arguments',
  'custom', 'simulator',
]

/** The names, or the reason why they are not possible. */
export function namesOf(folder: string, name: string = titleOf(folder)): ProviderNames | string {
  if (!/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/.test(folder) || folder.length < 2 || folder.length > 30)
    return `"${folder}" is not a valid name. Use 2 to 30 lowercase letters and digits, with single hyphens between words: checkout-com.`
  if (reserved.includes(folder)) return `"${folder}" is a reserved name. Choose another one.`
  if (!/^[\p{L}\p{N}][\p{L}\p{N} .&+-]{0,29}$/u.test(name))
    return `"${name}" is not a valid display name. Use up to 30 letters, digits, spaces, and the characters . & + -`
  const variable = folder.replaceAll(/-([a-z0-9])/g, (_, letter: string) => letter.toUpperCase())
  return { folder, id: folder.replaceAll('-', '_'), variable, name }
}

function titleOf(folder: string): string {
  const words = folder.split('-').map((word) => word.slice(0, 1).toUpperCase() + word.slice(1))
  return words.join(' ')
}
