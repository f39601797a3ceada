/** What the editor asks for to draw the custom fields. */
import type { ILoadOptionsFunctions, ResourceMapperFields } from 'n8n-workflow';
import { mapperFields } from '../parameters/customFields.ts';
import { publicationIn } from '../parameters/publication.ts';
import { openEngine } from '../transport/engine.ts';
import { toNodeFailure } from '../transport/failure.ts';

export async function getCustomFields(this: ILoadOptionsFunctions): Promise<ResourceMapperFields> {
  try {
    const { engine } = await openEngine(this, publicationIn(this));
    return { fields: await mapperFields(engine), emptyFieldsNotice: 'This publication has no custom fields yet.' };
  } catch (error) {
    throw toNodeFailure(this.getNode(), error);
  }
}
