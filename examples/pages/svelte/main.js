import { mount } from 'svelte';
import SignupForm from './SignupForm.svelte';

mount(SignupForm, { target: document.getElementById('app') });
