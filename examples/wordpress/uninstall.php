<?php
defined( 'WP_UNINSTALL_PLUGIN' ) || exit;
delete_option( 'newsletter_kit_signup_form' );
