/** Functions that checkout sessions share with payment links. */
export { fieldsOf } from '../changes.ts'
