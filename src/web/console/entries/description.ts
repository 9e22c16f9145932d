import type { ComponentChildren } from "preact";
import type { Entry } from "../../../access/entries/administration.ts";
import type { EntryService, EntryValues } from "../../../access/entries/presentation.ts";
import type { Crumb, Flash } from "../kit/components.tsx";
import type { FieldErrors } from "../kit/fields.ts";
import type { TextField } from "../kit/form.tsx";
import type { PageResult } from "../kit/page-result.ts";
import type { Context } from "../shell/router.ts";
import type { PageServices, ServiceName } from "../shell/services.ts";

/** How pages name the entries of one kind, and where they are. */
export interface EntryWords {
  /** Name of one entry in sentences, in lowercase. */
  noun: string;
  /** The same on buttons, where it is short. Default: `noun`. */
  short?: string;
  /** The page that lists the entries. */
  listPage: Crumb;
  /** Returns the path of an entry, or with `add` the path of the form for a new one. */
  pathOf(id: string): string;
}

/**
 * The pages of one kind of entries. What all kinds share follows from it: their routes, finding, adding, changing,
 * enabling, disabling, removing, and what is asked and said in between.
 */
export interface EntryPages<
  E extends Entry,
  Name extends ServiceName,
  Settings extends object = EntryValues,
> extends EntryWords {
  service(services: Pick<PageServices, Name>): EntryService<E>;
  /** Renders the page of one entry, which begins with `<EntryHead>`. */
  show(context: Context<Name>, entry: E, words: EntryWords): PageResult | Promise<PageResult>;
  form: EntryForm<E, Name, Settings>;
  /** Page in place of the form for a new entry, for example to choose its type first. */
  chooseFirst?(context: Context<Name>): PageResult | undefined;
  /** Adds an entry, or changes `entry`, in place of a single call of the service. */
  save?(
    context: Context<Name>,
    settings: Settings,
    options: { name: string; entry: E | undefined },
  ): Promise<Saved>;
  /** Returns the sentence after an entry was changed. Default: that it was saved. */
  changed?(entry: E): string;
  /** Returns the message after an entry was enabled. Default: that it is. */
  enabled?(context: Context<Name>, entry: E): Flash | string;
  /** Effect of disabling an entry: a sentence without its subject. */
  disabled: string;
  /** Effect of removing an entry, for the page that asks for confirmation. */
  removing(entry: E): ComponentChildren;
  remove?(context: Context<Name>, id: string): Promise<unknown>;
}

/** An entry that was saved. */
export interface Saved {
  id: string;
  /** Default: that it was added or changed. */
  message?: string | undefined;
}

/** A form as it is shown: what was entered, and what is wrong with it. */
export interface FormState<E> {
  form: URLSearchParams;
  /** The entry that is changed; undefined: a new one. */
  entry?: E | undefined;
  errors?: FieldErrors;
}

type ShownForm<E> = FormState<E> & { errors: FieldErrors };

/** The form with which entries of one kind are added and changed. */
export interface EntryForm<E extends Entry, Name extends ServiceName, Settings extends object> {
  /** Explains what the entries do, or where to read more. */
  lead?(context: Context<Name>, state: FormState<E>): ComponentChildren;
  /** Title of the page for a new entry. Default: `Add NOUN`. */
  addTitle?(context: Context<Name>, state: FormState<E>): string;
  /** The way back from the form for a new entry. Default: the list. */
  addCrumb?: { label: string; path: string };
  /** Initial values of a new entry. */
  newForm(context: Context<Name>): URLSearchParams;
  /** Initial values for a change. */
  formOf(entry: E): URLSearchParams;
  /** Field of the name, which only a new entry has. */
  name: Partial<Parameters<typeof TextField>[0]>;
  /** Shown in place of the form while no entry can be added. */
  missing?(context: Context<Name>, state: FormState<E>): ComponentChildren | undefined;
  /** The fields of a setting that comes before the name. */
  before?(context: Context<Name>, state: ShownForm<E>): ComponentChildren;
  fields(context: Context<Name>, state: ShownForm<E>): ComponentChildren;
  /** Reads the settings. @returns `errors` is empty if all of them can be read */
  read(context: Context<Name>, entry: E | undefined): { settings: Settings; errors: FieldErrors };
  /** Words an error of the service for the form. */
  wordErrors?(errors: FieldErrors, context: Context<Name>, entry: E | undefined): FieldErrors;
  /** Describes the entered settings in one sentence; the form has a button that shows it. */
  preview?(settings: Settings): string;
}
